"""A question to memory -> what its words tell: what it asks by, about whom and when, and if for what is current.

The cues are English; a question in another language simply has none of them.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from reverie.language.periods import Period, periods
from reverie.language.words import question_terms
from reverie.records import ReadContext

# What one says to an assistant about what it said itself.
_YOU_SAID = re.compile(
    r"\byou(?:'d|'ve| had| have| just| also| previously| earlier| once)*\s+"
    r"(?:said|told|mention|recommend|suggest|gave|give|provid|wrote|explain|list|shar|advis|propos|describ|came up)"
    r"|\bdid you (?:\w+ )?"
    r"(?:say|tell|mention|recommend|suggest|give|provide|write|explain|list|share|advise|propose|describe)"
    r"|\b(?:previous|earlier|past|last|our)\s+(?:conversation|chat|discussion|session|exchange)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|MY|[Ww]e|WE|[Oo]ur|OUR|i)\b")
_CURRENT = re.compile(
    r"\b(?:now|nowadays|current|currently|latest|still|today|recent|recently|newest|these days|at the moment|"
    r"at present|most recent|up to date|last)\b"
    r"(?!\s+(?:week|weekend|month|year|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d|two|three|few|couple))",
    re.IGNORECASE,
)
_FORMERLY = re.compile(
    r"\b(?:used to|previously|formerly|originally|at first|back then|in the past|earlier|old|former|"
    r"before(?= (?:that|then|I|we|you|he|she|they)\b|\W*$))\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_]+")
# First names that are words as well; they count only where they are written as names.
_ALSO_WORDS = (  # noqa: SIM905
    "will may mark grace hope faith joy rose art bill rob pat sue max dawn june april august drew jack frank guy ray "
    "chase grant miles penny summer autumn dean ward iris ivy lily amber ruby"
).split()

ASIDE = 0.1  # what a word of the goal, the plan or working memory weighs beside one of the prompt
ASIDE_BARE = 0.5  # the same when the prompt has hardly a word of its own ("go on", "and on Thursday?")
_BARE = 2  # words
_MAX_ASIDE = 24  # words: a plan is longer than a question, and must not drown it
_ENDS = 2_000  # characters of a long question that its vector is made of, at its start and at its end


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question. `names` are its words that may be someone's name, lower case."""

    text: str
    terms: tuple[str, ...]
    aside: tuple[str, ...]
    aside_weight: float
    names: frozenset[str]
    first_person: bool
    you_said: bool
    wants_current: bool
    formerly: bool
    periods: tuple[Period, ...]


def asked(context: ReadContext) -> Asked:
    """Read a question."""
    return _read(context.query_text, f"{context.goal}\n{context.last_plan}".strip(), context.at_ms)


@lru_cache(maxsize=4)  # the index, the ranking and the packing each read the same question
def _read(whole: str, beside: str, at_ms: int) -> Asked:
    text = f"{whole[:_ENDS]} {whole[-_ENDS:]}" if len(whole) > 2 * _ENDS else whole
    terms = question_terms(whole)
    other = question_terms(beside) if beside else []
    known = set(terms)
    you_said = _YOU_SAID.search(text) is not None
    return Asked(
        text=text,
        terms=tuple(terms),
        aside=tuple([term for term in other if term not in known][:_MAX_ASIDE]),
        aside_weight=ASIDE_BARE if len(terms) <= _BARE else ASIDE,
        names=_names(text),
        first_person=not you_said and _FIRST_PERSON.search(text) is not None,
        you_said=you_said,
        wants_current=_CURRENT.search(text) is not None,
        formerly=_FORMERLY.search(text) is not None,
        periods=periods(text, at_ms),
    )


def _names(text: str) -> frozenset[str]:
    found: set[str] = set()
    for match in _NAME.finditer(text):
        word = match[0].lower()
        if word not in _ALSO_WORDS or (match[0][0].isupper() and match.start() > 0):
            found.add(word)
    return frozenset(found)
