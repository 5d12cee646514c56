"""Reads the cue files, one for each language: the name of a list in, a pattern over all languages out.

Cues are looked for in plain sentences (see `sentences.py`): small letters, straight apostrophes, code as ǁ and quotes
as ǂ. A cue file (`en.cues`) is a text of lists:

    # A comment.
    [rejects] phrase
    The writer says that something was wrong.
        that's (?:wrong|false|
            incorrect)
        <please>stop

A list has a name, a way of looking for it, a line that says what it is for, and its cues, four spaces in. A cue is a
regular expression; a line may hold several with bars between them, and a line that ends with a bar goes on in the next
one, eight spaces in. A name in <angle brackets> stands for all cues of that list. The ways are

    group      words to be used by their name in other lists
    phrase     from the edge of a word to the edge of a word
    opening    at the start of a sentence, perhaps after an "and", "so" or "please"
    anywhere   as it stands
    words      a set of words, for looking up

and ", later" for what is looked for only after another cue was found. The other languages add cues to the lists of
`en.cues`, which says for all of them what a list is for. Chinese and Japanese, which put no spaces between words, have
lists of their own (`unspaced.py`).
"""

import re
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from typing import Final

from reverie.distil.rules.phrases import PhraseBook, Phrases

LANGUAGES: Final = ("en", "de", "es", "fr", "zh", "ja")
BOOK: Final = PhraseBook()

_HEADER: Final = re.compile(r"\[(?P<name>\w+)\](?: (?P<way>group|phrase|opening|anywhere|words)(?P<later>, later)?)?")
_GROUP: Final = re.compile(r"(?<!P)<(\w+)>")
_GOES_ON: Final = re.compile(r"\|\n {8}")


@dataclass(slots=True)
class CueList:
    """A list of the cue files: how it is looked for, what it is for, and its cues in all languages."""

    way: str
    is_later: bool
    purpose: str = ""
    cues: list[str] = field(default_factory=list)


@cache
def cues(name: str) -> Phrases:
    """Return the cues of a list, to be looked for."""
    make = partial(_pattern, name)
    return Phrases(make) if cue_lists()[name].is_later else BOOK.add(make)


def cue_words(name: str) -> frozenset[str]:
    """Return a set of words from the cue files."""
    return frozenset(" ".join(cue_lists()[name].cues).split())


@cache
def cue_lists() -> dict[str, CueList]:
    """Return all lists of all languages, by name."""
    lists: dict[str, CueList] = {}
    for language in LANGUAGES:
        read_cues(files("reverie.distil.rules").joinpath(f"{language}.cues").read_text(encoding="utf-8"), lists)
    return lists


def read_cues(text: str, lists: dict[str, CueList]) -> None:
    """Add the lists of a cue file to those of other files.

    >>> lists = {}
    >>> read_cues("[no] phrase\\nA denial.\\n    no|\\n        nope", lists)
    >>> read_cues("[no]\\n    nein", lists)
    >>> lists["no"].purpose, lists["no"].cues
    ('A denial.', ['no|nope', 'nein'])
    """
    current = CueList("", is_later=False)
    for line in _GOES_ON.sub("|", text).splitlines():
        if header := _HEADER.fullmatch(line):
            if header["way"]:
                lists[header["name"]] = CueList(header["way"], bool(header["later"]))
            elif header["name"] not in lists:
                raise ValueError(f"no list [{header['name']}] in the files before")
            current = lists[header["name"]]
        elif line.startswith("["):
            raise ValueError(f"no header of a list: {line!r}")
        elif line.startswith("    "):
            current.cues.append(line.strip())
        elif line and not line.startswith("#"):
            current.purpose += f" {line}" if current.purpose else line


# ---- from cues to a pattern

_STARTS = ("<clause>", "<since>")  # what begins alike is tried once
_STARTS_WITH_A_WORD = re.compile(r"(?:\(\?:|\(\?P<\w+>|<(?=tag|n|day|month|verb|language))*[^\W_]")
_EDGE = r"(?:(?!\w)|(?<!\w))"


def _pattern(name: str) -> str:
    found = cue_lists()[name]
    either = pattern(found.cues)
    match found.way:
        case "phrase":
            starts = all(map(_STARTS_WITH_A_WORD.match, found.cues))
            return (r"\b(?<!-)" if starts else r"(?:(?<![\w-])|(?!\w))") + either + _EDGE
        case "opening":
            return f"^{group('and_so')}*{either}{_EDGE}"
        case _:
            return either


def pattern(cues: list[str]) -> str:
    """Join some cues into one pattern.

    >>> pattern(["you don't", "i(?:'m| am)"])
    "(?:you (?:don't|dont)|(?:i(?:'m| am)|im))"
    """
    return f"(?:{'|'.join(map(_with_groups, _begun_alike([_with_bare_forms(one) for one in cues])))})"


def _begun_alike(cues: list[str]) -> list[str]:
    for start in _STARTS:
        after = [one.removeprefix(start) for one in cues if one.startswith(start)]
        if len(after) > 1:
            cues = [one for one in cues if not one.startswith(start)] + [f"{start}(?:{'|'.join(after)})"]
    return cues


def _with_groups(cue: str) -> str:
    return _GROUP.sub(lambda named: group(named[1]), cue)


@cache
def group(name: str) -> str:
    """Return the pattern of a group of words."""
    return pattern(cue_lists()[name].cues)


# Words whose apostrophe many leave out: "dont", "thats", "im". Not where another word results: "we're", "i'll", "it's".
_SHORTENED = re.compile(r"\b(?:\w+n't|(?:that|there|what|let|here|who)'s|i'm|(?:you|they)'re|(?:i|you|they)'ve)\b")
# The same where the endings are a group: "i(?:'m| am)" also stands for "im".
_ENDINGS = re.compile(r"\b(?P<word>i|you|they|he|she|that|there|what|here|who|we)\(\?:(?P<all>'[^()]*)\)\??")
_SHORT = re.compile("'[a-z]")
# Not "were", "hell", "shed"; and not "ill" and "ive", which are rare, while "i" excludes much.
_OTHER_WORDS = {"i": ("'ll", "'ve"), "we": ("'re", "'ll", "'d"), "he": ("'ll",), "she": ("'ll", "'d")}


def _with_bare_forms(cue: str) -> str:
    """A cue that also finds its words without the apostrophe."""
    return _ENDINGS.sub(_also_bare, _SHORTENED.sub(_also_without_apostrophe, cue))


def _also_bare(shortened: re.Match[str]) -> str:
    word, endings = shortened["word"], shortened["all"].split("|")
    others = _OTHER_WORDS.get(word, ())
    bare = [word + one[1:] for one in endings if _SHORT.match(one) and not one.startswith(others)]
    return f"(?:{'|'.join([shortened[0], *bare])})"


def _also_without_apostrophe(word: re.Match[str]) -> str:
    both = "|".join((word[0], word[0].replace("'", "")))
    before, after = word.string[: word.start()], word.string[word.end() :]
    is_alternative = before.endswith(("(?:", "|")) and after.startswith(("|", ")"))
    return both if is_alternative else f"(?:{both})"
