"""A question and the memories that come first -> how well an answer is founded on them, 0 to 1, and why, in words.

There is always a best memory, so its rank says nothing about whether it answers. What does: how much of the rare words
of the question stand in one place of it, and how near the two are in meaning, on a scale that is the same for every
store. The constants were found by asking conversations the questions of others (docs/decisions/036).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from reverie.language.empty import word_list
from reverie.language.evidence import asks
from reverie.language.periods import DATE_WORDS
from reverie.language.questions import Asked, asked
from reverie.language.words import GRAMMAR, words
from reverie.ports import Grounds
from reverie.records import MemoryItem, ReadContext, Recalled

JUDGED = 3  # memories by which an answer is judged: among more of them, chance finds one that seems to fit
# Weights are in rare words: a word that one memory has weighs 1, and one that many have less.
_NAME = _DATE = 1 / 6  # everybody who takes part is named all the time; a date is also known by when a thing was said
_DAMPING = 1 / 3  # a question of one word is not answered by whatever has that word
# What a prompt must weigh to be about anything. Of a task this much has to be known, however long it is: most of it is
# about what is yet to be done, of which memory knows nothing. A question asks by all of its words.
_LEAST = 1.4
_LEAST_ASKED = 0.7  # the same for a question, which is about something because it is asked
_WINDOW = 60  # words that stand together: in a long text anything is found somewhere
_BESIDE = 0.5  # what a word counts that only the neighbours have
_DIGITS = 3  # shorter numbers are found anywhere
_USUAL_COSINE = 0.27  # of texts that have little to do with each other: counted where there are no vectors
_NEAR = 0.4  # a cosine from which two texts mean much the same


@dataclass(frozen=True, slots=True)
class Founded:
    """A measure of how well an answer is founded, and the reason."""

    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionWeights:
    """The weights of a question's words, each and in all."""

    weights: Mapping[str, float]
    total: float
    people: frozenset[str]
    dates: frozenset[str]
    is_about_something: bool


def how_founded(context: ReadContext, grounds: Grounds, first: Sequence[Recalled]) -> Founded:
    """Judge an answer by the memories that come first, each of which has its place in `grounds`."""
    weighed = weigh(asked(context), grounds.rarity, grounds.people, is_search=context.is_search)
    if not weighed.is_about_something:
        return Founded(0.0, "no word of it says what it is about")
    best, reason = 0.0, "nothing was found"
    for one, beside, cosine in zip(first, grounds.beside, grounds.cosines, strict=True):
        own = found_in(weighed, one.item, fits=one.parts.get("month", 0) >= 1)
        value = _value(weighed, own, beside, cosine)
        if value > best:
            best, reason = value, _in_words(weighed, own, cosine, one.item)
    return Founded(round(best, 4), reason)


def weigh(question: Asked, rarity: Mapping[str, float], people: Collection[str], *, is_search: bool) -> QuestionWeights:
    """Weigh a question's words by how rare they are in the store. `people` are those who take part and are named.

    Whoever searches for a word means it, be it as common as "test".
    """
    named = frozenset(people)
    dates = frozenset(term for term in question.terms if question.periods and _is_of_a_date(term))
    light = {**dict.fromkeys(named, _NAME), **dict.fromkeys(dates, _DATE)}
    weights = {term: light.get(term, rarity[term] if _weighs(term) else 0.0) for term in question.terms}
    total = sum(weights.values())
    if is_search and not total:
        weights = {term: rarity[term] for term in question.terms}
        total = sum(weights.values())
    is_question = is_search or asks(question.text)
    least = 0.0 if is_search else _LEAST_ASKED if is_question else _LEAST
    return QuestionWeights(
        weights=weights,
        total=total if is_question else _LEAST,
        people=named,
        dates=dates,
        is_about_something=bool(named) or total >= max(least, 1e-9),
    )


def found_in(weighed: QuestionWeights, item: MemoryItem, *, fits: bool) -> frozenset[str]:
    """The words of a question that stand together in a memory. A name also counts if that person said it, and a date
    if it was said then (`fits`)."""
    own = _best_window(words(item.text), weighed.weights)
    said_by = frozenset(words(item.speaker)[:1]) & weighed.people
    return own | said_by | (weighed.dates if fits else frozenset())


def _value(weighed: QuestionWeights, own: frozenset[str], beside: Collection[str], cosine: float | None) -> float:
    evidence = sum(weighed.weights[word] for word in own)
    evidence += _BESIDE * sum(weighed.weights[word] for word in beside if word not in own)
    covered = min(1.0, evidence / (weighed.total + _DAMPING))
    return max(0.0, min(1.0, covered + (_USUAL_COSINE if cosine is None else cosine)))


def _best_window(text: Sequence[str], weights: Mapping[str, float]) -> frozenset[str]:
    places = [(at, word) for at, word in enumerate(text) if weights.get(word)]
    if len(text) <= _WINDOW:
        return frozenset(word for _, word in places)
    best, most = frozenset[str](), 0.0
    for number, (start, _) in enumerate(places):
        here = frozenset(word for at, word in places[number : number + _WINDOW] if at < start + _WINDOW)
        weight = sum(weights[word] for word in sorted(here))
        if weight > most:
            best, most = here, weight
    return best


def _in_words(weighed: QuestionWeights, own: frozenset[str], cosine: float | None, item: MemoryItem) -> str:
    telling = [word for word, weight in weighed.weights.items() if weight]
    day = datetime.fromtimestamp(item.created_ms / 1000, UTC)
    shared = f"{sum(word in own for word in telling)} of {len(telling)} telling words stand"
    near = ", which means much the same" if cosine is not None and cosine >= _NEAR else ""
    return f"{shared} in one memory of {day.day} {day:%B %Y}{near}"


def _weighs(term: str) -> bool:
    if term in GRAMMAR or term in _work_words():
        return False
    return len(term) >= _DIGITS if term.isdigit() else len(term) > 1 or not term.isascii()


def _is_of_a_date(term: str) -> bool:
    return term in DATE_WORDS or term.isdigit()


@cache
def _work_words() -> frozenset[str]:
    return frozenset(stem for word in word_list("work_words.txt") for stem in words(word))
