"""Maintenance: the slow work on what is remembered. The steward does it; an open `Memory` can."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from reverie.maintenance.consolidation import Compaction
from reverie.pipeline.distil_turns import Distiller
from reverie.pipeline.item_writer import ItemWriter
from reverie.pipeline.live_index import LiveIndex
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.replay import derive_again
from reverie.pipeline.searcher import Searcher
from reverie.pipeline.turn_trace import TurnTrace
from reverie.records import JSON, MemoryItem

if TYPE_CHECKING:
    from reverie.stores.coefficients import Proposal
    from reverie.stores.compaction import Write
    from reverie.stores.duplicates import Merging
    from reverie.stores.thread_votes import Voter


class Maintenance:
    def __init__(
        self,
        store: OpenStore,
        item_writer: ItemWriter,
        index: LiveIndex,
        searcher: Searcher,
        turns: TurnTrace,
        distiller: Distiller,
    ) -> None:
        self._store = store
        self._item_writer = item_writer
        self._index = index
        self._searcher = searcher
        self._turns = turns
        self._distiller = distiller
        self._refreshed: tuple[int, int] | None = None  # the version of the record that the index was refreshed at

    # ---- the index

    def refresh_index(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Make everything that came in searchable: items, judged learnings, vectors. Return how many were new."""
        engine = self._store.engine
        if engine.version() == self._refreshed:
            return 0
        count = self._item_writer.admit(progress) + self._item_writer.judge_waiting()
        embedder = self._index.embedder()
        done = 0
        while embedder and (embedded := self._item_writer.embed_waiting(embedder)):
            done += embedded
            progress(done)
        self._refreshed = engine.version()
        return max(count, done)

    def embed_now(self) -> None:
        """Embed what was just stored, if the embedder is loaded; otherwise the steward does it."""
        if self._index.is_warm and (embedder := self._index.embedder()):
            self._item_writer.embed_waiting(embedder)

    def re_embed(self, progress: Callable[[int, int], None] | None = None, limit: int = 1000) -> int:
        """After a change of embedder: give every item a new vector while the old ones serve; return how many have one.

        `progress` is told how many have one, and how many items there are.
        """
        done, total = self._index.re_embed(self._item_writer, limit)
        while self._index.is_changing:
            if progress:
                progress(done, total)
            done, total = self._index.re_embed(self._item_writer, limit)
        return done

    def follow_erasures(self) -> None:
        """Bring the loaded index up to date after something was erased."""
        self._index.follow()

    # ---- summaries, skills, duplicates

    def compact(self, session: str | None = None) -> list[Compaction]:
        """Summarise the threads that are due (ended, long, or a day old); with a session, that one in any case."""
        self.refresh_index()
        session = None if session is None else self._store.clean_name(session)
        done = self._item_writer.consolidation.compact(session, self._summary_writer(), self._link_voter())
        for one in done:
            self._turns.event("summary", {"episode": one.episode, "reason": one.reason, "items": one.items})
        return done

    def _summary_writer(self) -> "Write | None":
        """Return a model that writes summaries, where there is a budget for one; rules do otherwise."""
        if not self._store.settings.model.may_be_asked:
            return None
        from reverie.distil.reply import looks_like_refusal
        from reverie.stores.summaries import with_model

        ask = self._distiller.ask_for("compaction")
        return lambda items, limit: with_model(items, limit, ask, looks_like_refusal)

    def _link_voter(self) -> "Voter | None":
        """Return a model that says whether two threads are one matter, where there is a budget for one."""
        if not self._store.settings.model.may_be_asked:
            return None
        from reverie.stores.thread_votes import vote

        return partial(vote, ask=self._distiller.ask_for("compaction"))

    def summary(self, session: str, level: str = "medium") -> str:
        """Return what happened in a session that was compacted, at one of three lengths: short, medium, long."""
        return self._item_writer.consolidation.summary(self._store.clean_name(session), level)

    def summarize(self, store: str, limit_tokens: int = 400) -> str:
        """Return what a memory type holds, in so many tokens, as it tells it itself."""
        return self._item_writer.summarize(store, limit_tokens)

    def extract_skills(self) -> list[MemoryItem]:
        """Learn skills from tool sequences that were repeated and worked; return those that are new or surer."""
        self._item_writer.admit()
        return self._item_writer.consolidation.extract_skills()

    def merge_duplicates(self, *, dry_run: bool = False) -> "list[Merging]":
        """Merge what is known twice; `undo_merge` takes one apart again."""
        self.refresh_index()
        return self._item_writer.consolidation.merge(dry_run=dry_run)

    def undo_merge(self, item_id: str) -> list[MemoryItem]:
        return self._item_writer.consolidation.undo_merge(self._item_writer.whole_ids([item_id])[0])

    def expire_traces(self) -> int:
        """Drop the traces of turns that are older than traces are kept."""
        return self._turns.expire()

    # ---- tuning

    def mark_useful(self, turn: str, ids: Sequence[str]) -> None:
        """Record which memories of a turn were of use: `tune` learns from it."""
        told = self._turns.explain(turn)
        useful: list[JSON] = [*self._item_writer.whole_ids(ids)]
        self._store.engine.log.act("useful", told.turn, {"ids": useful}, self._store.env.now_ms())

    def tune(self, *, accept: bool = False, seed: int = 0) -> "Proposal":
        """Replay turns whose useful memories are known, and propose better coefficients; applied only if accepted."""
        proposal = self._turns.propose(seed)
        if accept and proposal.coefficients:
            self._turns.accept(proposal)
            self._searcher.settings = self._turns.tuned().recall
        return proposal

    # ---- from the log

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> tuple[int, int]:
        """Derive learnings and items again from the log, without a model; return how many turns and learnings."""
        engine = self._store.engine
        erasures = engine.erasures()
        seen = self._distiller.look_again(progress)
        with engine.write():
            if engine.erasures() != erasures:
                seen = {}  # what was forgotten meanwhile is not to come back
            done = self._distiller.distil_again(seen)
            derive_again(self._item_writer, captured=True, progress=progress)
            engine.refuse_damaged_log()
        return done
