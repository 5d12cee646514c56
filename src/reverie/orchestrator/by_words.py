"""A question -> hits by words alone, without an index or vectors: for a process that lives for one search.

What has more of the question's words comes first; of what has as many, what was learned, then what is stored, then the
best of the log; each message once.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from reverie.language.empty import asked_by
from reverie.language.porter import stem
from reverie.orchestrator.calls import hit_of
from reverie.ports import Engine
from reverie.records import Filters, Hit, repeats
from reverie.text import title_line

_WORD = re.compile(r"\w+")
_READ_CHARS = 20_000  # of a hit: how many of the question's words it has is seen there


def find_by_words(
    engine: Engine, question: str, limit: int, project: str | None, masked: Callable[[str], str]
) -> list[Hit]:
    """What has a word that the question asks by, `masked` without personal data.

    Those with the most of its words come first; among these what was learned, and then the best of each kind.
    """
    if not (asked := asked_by(question)):
        return []
    words = " ".join(asked)
    learned = engine.learnings.search(words, limit, project)
    origins = {one.id: one.observation_id for one in engine.learnings.get([hit.id for hit in learned])}
    learned = [_shown(replace(hit, sources=(origins[hit.id],)), masked) for hit in learned if hit.id in origins]
    # More than are wanted: some of them are known already.
    items = engine.items.select(Filters(project=project), words=words, limit=limit + len(learned))
    stored = [hit_of(item) for item in items]
    logged = engine.log.search(words, limit + len(learned) + len(stored), project)
    known = {hit.id for hit in stored}
    others = [*stored, *(hit for hit in logged if hit.id not in known)]
    texts = {hit.text for hit in learned}  # items are masked when they are made
    found = [*learned, *(hit for hit in others if hit.text not in texts)]
    return [_shown(hit, masked) for hit in _one_per_source(found, asked)[:limit]]


def _words_in(hit: Hit, wanted: Set[str]) -> int:
    """How many of the words that are asked by it has."""
    return len(wanted & {stem(word) for word in _WORD.findall(hit.text[:_READ_CHARS].lower())})


def _shown(hit: Hit, masked: Callable[[str], str]) -> Hit:
    text = masked(hit.text)
    return replace(hit, text=text, title=title_line(text))


def _one_per_source(hits: Sequence[Hit], asked: Sequence[str]) -> list[Hit]:
    """Those with the most words of the question first; of a message and what was learned from it alone, one."""
    wanted = {stem(word.lower()) for word in asked}
    owner: dict[str, str] = {}
    best_first = sorted(hits, key=lambda hit: -_words_in(hit, wanted))
    sources = [hit.sources[0] if len(hit.sources) == 1 else hit.id for hit in best_first]
    return [hit for hit, source in zip(best_first, sources, strict=True) if not repeats(hit.id, source, owner)]
