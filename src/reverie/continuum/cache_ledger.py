"""The cache ledger of one conversation: each request is compared with the one before it, priced, and kept."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from reverie.pipeline.open_store import OpenStore
from reverie.records.conversation_values import Block, LedgerEntry, Request, Said, Segment
from reverie.window.blocks import Sections, blocks_with_text, group_of
from reverie.window.ledger import CacheRules, TokenRates, compare

_COUNTED = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of a request for the cache, and the texts of its blocks, as of so many erasures."""

    entry: LedgerEntry
    texts: tuple[tuple[Block, str], ...]
    erasures: int


class CacheLedger:
    """Knows the request before, which the ledger keeps over a restart."""

    def __init__(
        self,
        store: OpenStore,
        rates: TokenRates | None,
        rules: Callable[[str], CacheRules],
        erasures: Callable[[], int],
    ) -> None:
        """`rules` says how the provider of a model caches.

        `erasures` says how often something had been forgotten for good when the prompt was composed.
        """
        self._store = store
        self._rates = rates
        self._rules = rules
        self._erasures = erasures
        self._last: dict[str, LedgerEntry | None] = {}
        self._kept_at: dict[str, int] = {}  # by conversation: the erasures after which its texts are there

    def charge(
        self, request: Request, sections: Sections, segment: Segment, turn: int, number: int, model: str
    ) -> Charge:
        """Compute how much of this request the cache has and what the rest costs, if it is sent now."""
        texts = blocks_with_text(request, sections)
        entry = LedgerEntry(
            continuum_id=segment.continuum_id,
            segment_id=segment.id,
            turn=turn,
            request=number,
            at_ms=self._store.env.now_ms(),
            model=model,
            blocks=tuple(block for block, _ in texts),
        )
        if segment.continuum_id not in self._last:
            self._last[segment.continuum_id] = self._store.engine.ledger.last(segment.continuum_id)
        compared = compare(self._last[segment.continuum_id], entry, self._rates, self._rules(model))
        return Charge(compared, texts, self._erasures())

    def keep(self, charge: Charge, said: Said) -> LedgerEntry:
        """It was sent and answered: note it, with what the provider itself counted and the bytes of its sections.

        If something was forgotten for good meanwhile, the bytes may tell of it: then they are not kept.
        """
        entry = replace(charge.entry, usage={name: getattr(said, name) for name in _COUNTED})
        engine, before = self._store.engine, self._last[entry.continuum_id]
        is_kept = before is not None and self._kept_at.get(entry.continuum_id) == charge.erasures
        known = {block.address for block in before.blocks} if before and is_kept else set()
        with engine.write():
            if engine.erasures() == charge.erasures:
                self._kept_at[entry.continuum_id] = charge.erasures
                for block, text in charge.texts:
                    if block.address not in known and group_of(block) != "history":  # that has its home in the log
                        engine.ledger.keep(text)
            engine.ledger.add(entry)
        self._last[entry.continuum_id] = entry
        return entry
