"""A text -> whether it tells anything: what only asks, agrees or greets is no evidence for an answer.

A question that was asked before is the best match for itself when it is asked again, and says nothing. It stays in the
log and in its session; recall neither packs it nor lets it lift what was said around it.
"""

import re
from functools import cache

from reverie.language.empty import word_list
from reverie.records import ItemType

# A sentence with the mark that ends it. A dot inside a number, a name of a file or a version ends nothing.
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?=[^\s.!?\"')\]]))+[.!?。！？]*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MOST_WORDS = 16  # of a question; a longer one tells what it is about while it asks
# How a question begins that has no mark: "which port is it", but not "what I want is tea" or "when in doubt, ask".
_ASKING = re.compile(
    r"(?:so |and |but |ok |hey |also |wait )*"
    r"(?:(?:who|whose|what|which|why)(?:['’]?s|['’]re)?\b(?!\s+(?:i|we|you|he|she|it|they|the|a|an|my|our|to)\b)"
    r"|(?:when|where|how)(?:['’]s| (?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|many|much|long"
    r"|often|big|far|old|come))\b"
    r"|(?:do|does|did|is|are|was|were|can|could|would|will|should|have|has) (?:you|we|i|it|there|they|the|my|our)\b"
    r"|(?:wer|wo|wie|wann|warum|wieso) (?:ist|sind|war|heißt|kann|können|muss|müssen|läuft|geht|lautet|viele?"
    r"|lange|oft)\b"
    r"|welche[rsmn]? \w+ (?:ist|sind|war|hat|haben|nutzen|nimmt|nehmen)\b)[^.!:;]*$",
    re.IGNORECASE,
)
# A request to do something. One to tell something is a question: "can you remind me which port it was?"
_REQUESTS = re.compile(
    r"(?:can|could|would|will|kannst|könntest|würdest) (?:you|du)\b"
    r"(?! (?:please |also |just |maybe )*(?:remind|tell|say|recall|remember|recommend|suggest|advise)\b)",
    re.IGNORECASE,
)
# A question that also tells: the reason for asking, or something that only whoever knows it would say.
_TELLS = re.compile(
    r"\b(?:because|since|given that|now that|seeing that|considering|did you know|have i told you"
    r"|didn['’]t i (?:tell|say)|weil|da ja|wusstest du)\b",
    re.IGNORECASE,
)
# "I am moving to Oslo, where could I stay?" tells before it asks.
_TELLS_FIRST = re.compile(
    r"(?:i|we|my|our|there|ich|wir|mein\w*|unser\w*)(?:['’](?:m|ve|re|d|ll|s))?\s[^?]{20,},", re.IGNORECASE
)
_GREETS = re.compile(
    r"(?:hi|hey|hello|hallo|moin|servus|good (?:morning|evening|afternoon|night)|guten \w+)\b", re.IGNORECASE
)
_GREETING_WORDS = 4
_ASKED_OF_MEMORY = re.compile(
    r"mcp__reverie\w*"
    r"|\w+: (?:[^\n]*[;&|] *)?reverie (?:search|recall|context|log|timeline|show|explain|learnings|prompt)\b"
)
_ASKS_OR_IS_SHORT = 200  # characters: a longer text without a question mark tells something


def is_evidence(text: str, kind: ItemType = ItemType.USER_MESSAGE) -> bool:
    """Return whether an item tells anything. Some messages do not, and neither does what a search of memory printed.

    >>> [is_evidence(text) for text in ("Which port is it?", "ok, perfect!", "It is 5433.")]
    [False, False, True]
    >>> is_evidence("Can we move it, because 5433 is taken?")
    True
    """
    if kind in (ItemType.TOOL_RESULT, ItemType.ERROR):
        return _ASKED_OF_MEMORY.match(text) is None
    if kind not in (ItemType.USER_MESSAGE, ItemType.ASSISTANT_MESSAGE):
        return True
    if len(text) > _ASKS_OR_IS_SHORT and "?" not in text and "？" not in text:
        return True
    return any(_tells(sentence[0].strip()) for sentence in _SENTENCE.finditer(text))


def asks(text: str) -> bool:
    """Return whether one of a text's sentences is a question; a request that is put as one is not.

    >>> asks("How does it work? I only used the other"), asks("which port is it"), asks("Can you add a port?")
    (True, True, False)
    >>> asks("Can you remind me which port it was?")
    True
    """
    sentences = [sentence[0].strip() for sentence in _SENTENCE.finditer(text)]
    return any(_asks(sentence) and not _REQUESTS.match(sentence) for sentence in sentences)


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) or _ASKING.match(sentence) is not None


def _tells(sentence: str) -> bool:
    words = _WORD.findall(sentence.casefold())
    if not words or _small_talk().issuperset(words):
        return False
    if len(words) <= _GREETING_WORDS and _GREETS.match(sentence):
        return False
    if not _asks(sentence):
        return True
    return len(words) > _MOST_WORDS or bool(_TELLS.search(sentence) or _TELLS_FIRST.match(sentence))


@cache
def _small_talk() -> frozenset[str]:
    return frozenset(word_list("small_talk.txt"))
