"""The text of a learning: the writer's own sentence without greeting, padding and what cannot be printed."""

from typing import Final

from reverie.distil.rules.cues import cue_words, cues

_LONGEST = 300
_PADDING: Final = cues("padding")
_NEEDS_COMMA: Final = cue_words("needs_comma")
_PUNCTUATION = " ,:!.—–…-"
_LAST_WORDS: Final = cue_words("last_words")


def core(text: str) -> str:
    """A sentence without greeting and padding, at most 300 characters.

    >>> core("ok thanks! And please, never push to main :)")
    'never push to main'
    """
    return shortened(trimmed(text))


def trimmed(text: str) -> str:
    text = " ".join(text.split())
    rest = text.lstrip("(-–—,;• ")
    while padding := _PADDING.match(_small(rest)):
        word = padding[0].strip(_PUNCTUATION).casefold()
        if word in _NEEDS_COMMA and padding[0].rstrip()[-1] not in _PUNCTUATION:
            break
        rest = rest[padding.end() :]
    while True:
        rest = rest.rstrip(" .,;:!?—–-" if "(" in rest else " .,;:!?)—–-")
        head, space, last = rest.rpartition(" ")
        if not space or last.casefold() not in _LAST_WORDS:
            return rest or text
        rest = head


def _small(text: str) -> str:
    """Return a text in small letters, as many as before: a few capitals become two letters."""
    small = text.lower()
    return small if len(small) == len(text) else text


def shortened(text: str) -> str:
    """At most 300 characters, all of which can be printed, cut between words."""
    if not text.isprintable():
        text = "".join(filter(str.isprintable, text))
    if len(text) <= _LONGEST:
        return text
    cut = text[: _LONGEST - 1]
    return cut[: max(cut.rfind(" "), _LONGEST // 2)].rstrip() + "…"
