"""The text of a learning: the writer's own sentence without greeting, padding and what cannot be printed."""

import re

_LONGEST = 300
_PADDING = re.compile(
    r"(?:(?:hi|hey|hello|hola|hallo|ok|okay|so|and|also|but|oh|ah|thx|thanks|thank you|great|good|cool|nice|perfect|btw|by the way|fyi|well|anyway|hmm+|sorry|please|pls|plz|bitte"
    r"|just so you know|for context|note that|one (?:more )?(?:thing|wish)|no|nope|nah|actually|wait|again|kleine bitte|für die zukunft|quick note|und|y|et|yes|yeah|right|remember that|remember|remind me to|sounds good|lol)"
    r"(?:\s*[,:!.—–…-]+\s*|\s+(?=\S)))",
    re.IGNORECASE,
)
# Words that are padding only before a comma: "no, it's X" but "no emojis".
_NEEDS_COMMA = frozenset("no good great cool nice perfect right again".split())
_TAIL = re.compile(r"(?:[\s,]*(?:\b(?:btw|lol|thx|thanks|please|pls|plz|ok)|:\)|;\)|:D|[.,;:!?)\s—–-])+)$", re.IGNORECASE)


def core(text: str) -> str:
    """The sentence without greeting and padding, at most 300 characters."""
    return shortened(trimmed(text))


def trimmed(text: str) -> str:
    text = " ".join(text.split())
    rest = text.lstrip("(-–—,• ")
    while (padding := _PADDING.match(rest)) is not None:
        word = padding[0].strip(" ,:!.—–…-").casefold()
        if word in _NEEDS_COMMA and padding[0].rstrip()[-1] not in ",:!.—–…-":
            break
        rest = rest[padding.end() :]
    tail = _TAIL.search(rest)
    end = tail.start() if tail and "(" not in rest else len(rest.rstrip(" .,;:!"))
    return rest[:end].strip() or text


def shortened(text: str) -> str:
    if not text.isprintable():
        text = "".join(character for character in text if character.isprintable())
    if len(text) <= _LONGEST:
        return text
    cut = text[: _LONGEST - 1]
    return cut[: max(cut.rfind(" "), _LONGEST // 2)].rstrip() + "…"
