"""Erase: forgetting, softly (hidden, can be brought back) or for good (gone from every file of the workspace).

What cannot be erased at once, because another process still reads it, is owed: recorded with the erasure, and done by
the steward, the next opener or the next forget.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.capture.observation_input import a_text
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.replay import derive_again
from reverie.ports import SCRUB
from reverie.records import MemoryItem
from reverie.records.results import Forgotten

if TYPE_CHECKING:
    from reverie.maintenance.upkeep import Maintenance
    from reverie.pipeline.distil_turns import Distiller
    from reverie.pipeline.erase_plan import ErasePlan
    from reverie.pipeline.item_writer import ItemWriter

_PATIENCE_SECONDS = 2.0  # with a process that still reads what is forgotten for good; after that it is owed


class Eraser:
    """`clear_files` and `clear_elsewhere` erase what is shown outside of the record; each returns what it could not."""

    def __init__(
        self,
        store: OpenStore,
        item_writer: "ItemWriter",
        maintenance: "Maintenance",
        distiller: "Distiller",
        owe_elsewhere: Callable[[], None],
        clear_files: Callable[[], tuple[str, ...]],
        clear_elsewhere: Callable[[], tuple[str, ...]],
    ) -> None:
        self._store = store
        self._item_writer = item_writer
        self._scoped = item_writer.scoped
        self._maintenance = maintenance
        self._distiller = distiller
        self._owe_elsewhere = owe_elsewhere
        self._clear_files = clear_files
        self._clear_elsewhere = clear_elsewhere

    def forget(self, scope: str, *, hard: bool, dry_run: bool) -> Forgotten:
        """Forget what a scope names; with `dry_run`, only say what would go."""
        a_text(scope, "what to forget")
        self._maintenance.refresh_index()
        if hard:
            return self._forget_for_good(scope, dry_run)
        found = (*(item.id for item in self._scoped.in_scope(scope)), *self._scoped.kept_elsewhere(scope))
        ids = tuple(dict.fromkeys(found))
        if dry_run:
            return Forgotten(items=len(ids), observations=0, hard=False, ids=ids)
        hidden = self._item_writer.hide(ids) if ids else 0
        more, problems = self._scoped.forget_in_types(scope, self._store.env.now_ms(), hard=False)
        warnings = (*self._clear(), *problems)
        return Forgotten(items=hidden + more, observations=0, hard=False, ids=ids, warnings=warnings)

    def _forget_for_good(self, scope: str, dry_run: bool) -> Forgotten:
        engine = self._store.engine
        if dry_run:
            told = self._receipt(self._scoped.doomed(scope))
            return replace(told, items=told.items + len(self._scoped.kept_elsewhere(scope)))
        with engine.write():  # what is owed for it is recorded in the same transaction: a crash does not lose it
            doomed = self._scoped.doomed(scope)
            self._owe_elsewhere()
            items = [*(item.id for item in doomed.items), *self._scoped.kept_elsewhere(scope)]
            touched = engine.extractions_that_saw(doomed.observations)
            engine.erase(doomed.observations, items, self._store.env.now_ms(), doomed.words)
            self._distiller.learn_again(touched)
            derive_again(self._item_writer, captured=False)
        more, problems = self._scoped.forget_in_types(scope, self._store.env.now_ms(), hard=True)
        warnings = (*self._clear_elsewhere(), *self.finish(_PATIENCE_SECONDS), *problems)
        self._maintenance.follow_erasures()
        told = self._receipt(doomed)
        return replace(told, items=told.items + more, warnings=warnings)

    def finish(self, patience_seconds: float = 0.0) -> tuple[str, ...]:
        """Do what is owed: leave no byte of what was forgotten for good in any file of the workspace.

        Return what cannot be done now; it stays owed.
        """
        engine = self._store.engine
        owed = engine.owes(SCRUB)
        if not owed:
            return ()
        problems = self._clear_files()
        if not engine.scrub(patience_seconds):
            return (*problems, *engine.log_file().troubles())
        if not problems:
            engine.settle(SCRUB, owed)
        return problems

    def _receipt(self, doomed: "ErasePlan") -> Forgotten:
        ids = tuple(dict.fromkeys(item.id for item in doomed.items))
        told = Forgotten(
            items=len(ids), observations=len(doomed.observations), hard=True, ids=ids, beside=doomed.beside
        )
        if not self._store.engine.owes(SCRUB):
            return told
        log = self._store.engine.log_file()
        return replace(told, owed_bytes=log.bytes, waits_for=log.readers)

    def hidden(self, scope: str) -> list[MemoryItem]:
        """Return what of a scope was forgotten softly: `recover` brings it back by its ids."""
        self._maintenance.refresh_index()
        found = self._scoped.in_scope(a_text(scope, "what to bring back"))
        return list({item.id: item for item in found if item.deleted_ms is not None}.values())

    def recover(self, ids: Sequence[str]) -> int:
        """Bring back what was forgotten softly; return how many there were."""
        count = self._item_writer.unhide(ids)
        self._clear()
        return count

    def _clear(self) -> tuple[str, ...]:
        return (*self._clear_files(), *self._clear_elsewhere())
