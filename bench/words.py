"""Invented text with the statistics that an index and a redactor feel: a few words often, many words rarely."""

import random
from itertools import accumulate

_SYLLABLES = (  # noqa: SIM905
    "ba be bo ca co da de di do fa fe ga go ha he hi ka ko la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se "
    "si so ta te ti to va ve vi vo wa we an en in on ar er ir or al el il ol as es is os"
).split()
_COMMON = (  # noqa: SIM905
    "the to and of a in is it you that for on with this be as we I have not are can at if will or was but so what "
    "from do one which they there their about when all out up would them my me more just how no get some time like"
).split()
_VOCABULARY_SIZE = 8000


def _vocabulary() -> list[str]:
    chance = random.Random(3)
    invented = {"".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(2 * _VOCABULARY_SIZE)}
    return [*_COMMON, *sorted(invented)[:_VOCABULARY_SIZE]]


WORDS = _vocabulary()
# Zipf: the n-th most frequent word is said 1 / n as often as the first.
_WEIGHTS = list(accumulate(1 / (rank + 3) for rank in range(len(WORDS))))


def words(chance: random.Random, count: int) -> list[str]:
    return chance.choices(WORDS, cum_weights=_WEIGHTS, k=count)


def sentence(chance: random.Random, length: int) -> str:
    """About this many characters, as someone would type them."""
    text = " ".join(words(chance, length // 5 + 1))[:length].rstrip()
    return text[:1].upper() + text[1:] + "."
