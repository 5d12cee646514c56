"""Lookup: a question in a caller's words -> hits. Checks the question, refreshes the index, and asks recall."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.capture.observation_input import a_text, moment_ms
from reverie.errors import BadInput
from reverie.pipeline.open_store import OpenStore
from reverie.records import Filters, Hit, MemoryItem, ReadContext, Recalled
from reverie.records.results import hit_of
from reverie.redact.secrets import redact

if TYPE_CHECKING:
    from reverie.pipeline.searcher import Packed, Searcher

_QUERY_CHARS = 40_000  # of a question that are looked at; a pasted file is a question too

# Fields of a hit that are filled only when they are asked for: they are long, and few need them.
_EXTRAS = ("embedding", "sparse_terms")

FilterInput = Filters | Mapping[str, object] | Iterable[str] | None


class Lookup:
    """`refresh` is called before a question, so that what came in last is found."""

    def __init__(self, store: OpenStore, searcher: "Searcher", refresh: Callable[[], object] = lambda: None) -> None:
        self._store = store
        self._searcher = searcher
        self.refresh = refresh

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        filters: FilterInput = None,
        at: object = None,
        include: Sequence[str] = (),
        everything: bool = False,
    ) -> list[Hit]:
        """Return what is remembered about this, best first, one line each, with the extra fields of `include`."""
        extras = _extras(include)
        context = self.question(query, filters, at, top_k=a_limit(limit))
        if project is not None:
            context = replace(context, filters=replace(context.filters, project=self._store.clean_name(project)))
        context = replace(context, is_search=True, everything=everything)
        self.refresh()
        found = self._searcher.search(context)
        hits = self.as_hits(found.found, found.degraded)
        return self._with_extras(hits, [one.item for one in found.found], extras) if extras else hits

    def _with_extras(self, hits: Sequence[Hit], items: Sequence[MemoryItem], extras: Sequence[str]) -> list[Hit]:
        """Fill the vector by which an item is found, and its words as the index has them."""
        from reverie.language.words import words

        if "embedding" in extras:
            vectors = self._searcher.vectors([item.id for item in items])
            hits = [replace(hit, embedding=vectors.get(hit.id)) for hit in hits]
        if "sparse_terms" in extras:
            terms = [
                dict.fromkeys([*words(hit.text), *item.sparse_terms]) for hit, item in zip(hits, items, strict=True)
            ]
            hits = [replace(hit, sparse_terms=tuple(one)) for hit, one in zip(hits, terms, strict=True)]
        return list(hits)

    def assemble(
        self,
        context: ReadContext,
        leave_out: Callable[[MemoryItem], bool] | None,
        most: int | None,
    ) -> "Packed":
        """Search, rank and pack within the budget of the context."""
        self.refresh()
        return self._searcher.assemble(context, leave_out, most)

    def question(self, text: str, filters: FilterInput, at: object, top_k: int) -> ReadContext:
        """Check a question. It loses its secrets: it is traced, and an embedder elsewhere may be asked about it."""
        a_text(text, "a question")
        at_ms = self._store.env.now_ms() if at is None else moment_ms(at)
        text = text[:_QUERY_CHARS].encode("utf-8", "replace").decode()  # half a surrogate pair is no text
        return ReadContext(query_text=redact(text), at_ms=at_ms, filters=self.filters(filters), top_k=top_k)

    def filters(self, given: FilterInput) -> Filters:
        """Read filters: a `Filters` value, texts such as "project=/shop", a mapping, or the default."""
        from reverie.stores.filters import default_filters, filters_from, parse_filters

        if given is None:
            return default_filters(self._store.settings.stores)
        if isinstance(given, Filters):
            return given
        if isinstance(given, str):
            return parse_filters([given])
        if isinstance(given, Mapping):
            return filters_from(given)
        if isinstance(given, bytes) or not isinstance(given, Iterable):
            raise BadInput(f'filters are a mapping, texts such as "project=/shop", or a Filters value, not {given!r}')
        return parse_filters([a_text(one, "a filter") for one in given])

    def as_hits(self, found: Sequence[Recalled], degraded: str = "") -> list[Hit]:
        """Render recalled items as one line each, with the reason why they were found.

        Personal data is masked as the settings say now: what was kept under other settings may have it.
        """
        from reverie.recall import why
        from reverie.redact.personal import masked

        privacy = self._store.settings.privacy
        found = [replace(one, item=replace(one.item, text=masked(one.item.text, privacy).text)) for one in found]
        given = given_ids(self._store, [one.item for one in found])
        reasons = [why(one) + (f"; {degraded}" if degraded else "") for one in found]
        return [
            hit_of(one.item, one.score, ids, reason) for one, ids, reason in zip(found, given, reasons, strict=True)
        ]


def given_ids(store: OpenStore, items: Sequence[MemoryItem]) -> list[tuple[str, ...]]:
    """Map each item to the ids that the caller of `observe` gave its sources."""
    told = []
    for item in items:
        events = [str(item.metadata["event_id"])] if "event_id" in item.metadata else []
        if not events:
            events = [source.event_id for one in item.sources if (source := store.engine.log.get(one))]
        told.append(tuple(one.removeprefix("id:") for one in events if one.startswith("id:")))
    return told


def _extras(include: Sequence[str]) -> tuple[str, ...]:
    names = (include,) if isinstance(include, str) else tuple(include)
    for name in names:
        if name not in _EXTRAS:
            raise BadInput(f"a search can include {' and '.join(_EXTRAS)}, not {name!r}")
    return names


def a_limit(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise BadInput(f"a limit is a whole number, not {limit!r}")
    return limit
