"""A lower-case English word -> its stem, by Porter's algorithm of 1980: the same that FTS5's `porter` uses.

The letters y and the doubled consonants make it longer than a list of endings; the steps are Porter's own.
"""

_STEP2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """Remove the endings of a word. Words that are not plain a to z stay as they are.

    >>> [stem(word) for word in ("recommendations", "hopping", "happy", "sky", "2023")]
    ['recommend', 'hop', 'happi', 'sky', '2023']
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _swap(word, _STEP2)
    word = _swap(word, _STEP3)
    word = _cut(word)
    return _tidy(word)


def _shape(part: str) -> str:
    """v and c for each letter: y is a vowel after a consonant."""
    shape = ""
    for letter in part:
        if letter in "aeiou" or (letter == "y" and shape.endswith("c")):
            shape += "v"
        else:
            shape += "c"
    return shape


def _measure(part: str) -> int:
    """Count how many times a vowel is followed by a consonant: Porter's m."""
    return _shape(part).count("vc")


def _has_vowel(part: str) -> bool:
    return "v" in _shape(part)


def _ends_doubled(part: str) -> bool:
    return len(part) > 1 and part[-1] == part[-2] and _shape(part)[-1] == "c"


def _ends_short(part: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y, as in `hop`."""
    return _shape(part).endswith("cvc") and part[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    if not ending or not _has_vowel(word[: -len(ending)]):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_doubled(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _swap(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            part = word[: -len(ending)]
            return part + other if _measure(part) > 0 else word
    return word


def _cut(word: str) -> str:
    found = max((ending for ending in _STEP4 if word.endswith(ending)), key=len, default="")
    part = word[: -len(found)] if found else word
    if not found or _measure(part) < 2 or (found == "ion" and part[-1:] not in ("s", "t")):
        return word
    return part


def _tidy(word: str) -> str:
    if word.endswith("e"):
        part = word[:-1]
        measure = _measure(part)
        if measure > 1 or (measure == 1 and not _ends_short(part)):
            word = part
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
