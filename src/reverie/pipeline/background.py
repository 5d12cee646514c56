"""Background: what the steward does all the time, and every opener for a moment where no steward runs.

drain_spool    what hooks spooled -> the log -> closed turns in the inbox
distil         closed turns -> learnings, preferences in user.md, pending actions
"""

from collections.abc import Callable, Mapping, Sequence

from reverie.capture.drain import DRAIN_WAIT_SECONDS, Drained, Enough, drain, has_waiting
from reverie.errors import StoreFull
from reverie.foundation.gc_pause import gc_paused
from reverie.inbox.worker import Outcome
from reverie.pipeline.distil_turns import Distiller
from reverie.pipeline.ingest import Ingest
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.profile import Profile
from reverie.ports import Env
from reverie.records import Captured

_OPENER_SECONDS = 0.05  # what an opener without a steward gives to distilling
_OPENER_TURNS = 25  # between two looks at the clock


class Background:
    """`of_hooks` is the user whom hooks report for; `finish_erasures` does what is owed for what was forgotten."""

    def __init__(
        self,
        store: OpenStore,
        ingest: Ingest,
        distiller: Distiller,
        profile: Profile,
        of_hooks: "Callable[[], Background]",
        finish_erasures: Callable[[], None],
    ) -> None:
        self._store = store
        self._ingest = ingest
        self._distiller = distiller
        self._profile = profile
        self._of_hooks = of_hooks
        self.finish_erasures = finish_erasures
        self.hindrance = ""  # why the spool could not be drained, when that was last tried

    def drain_spool(
        self,
        enough: Enough = lambda: False,
        *,
        prefetch: bool = False,
        wait_seconds: float = DRAIN_WAIT_SECONDS,
        after_each: Callable[[], None] = lambda: None,
    ) -> Drained:
        """Take in what hooks have spooled, until that is `enough`, and close the turns whose end has come.

        A caller that distils after each chunk may `prefetch`: the rules look at turns while these are written. Wait
        for another process that drains as long as `wait_seconds` says. The events go to the user whom hooks report
        for, whoever has opened the store.
        """
        receiver = self._of_hooks()
        if receiver is not self:
            return receiver.drain_spool(enough, prefetch=prefetch, wait_seconds=wait_seconds, after_each=after_each)
        engine, env = self._store.engine, self._store.env

        def store(captures: Sequence[Captured], drained: Mapping[str, int]) -> None:
            self._ingest.store(captures, drained, self._distiller.prefetch if prefetch else None)
            engine.shorten_log(as_steward=True)  # whoever drains is the steward, or works in its place
            after_each()

        with gc_paused():
            spool, known = self._store.workspace.spool, engine.log.drained
            drained = drain(spool, env, store, known, enough, wait_seconds=wait_seconds)
        engine.log.end_silent_sessions(env.now_ms())
        engine.log.close_due_turns(env.now_ms())
        return drained

    def distil(self, enough: Enough = lambda: False, at_once: int | None = None) -> Outcome:
        """Work off closed turns by rules, so many at once, for as long as there are any or until that is `enough`."""
        outcome = self._distiller.distil(enough, at_once)
        if outcome.done:
            self._profile.sync()
        return outcome

    def ask_model(self, limit: int = 1) -> Outcome:
        """Let a model look at turns that the rules have seen, within the budget."""
        outcome = self._distiller.ask_model(limit)
        if outcome.done:
            self._profile.sync()
        return outcome

    @property
    def model_backoff_seconds(self) -> float:
        """Return the seconds to wait before a model is asked again."""
        return self._distiller.model_backoff_seconds

    def catch_up(self, distil_seconds: float = _OPENER_SECONDS, wait_seconds: float | None = 0.0) -> bool:
        """Do a steward's work for a moment where none runs: drain the spool, distil, shorten the log file.

        Wait for another process that does it as long as `wait_seconds` says, with None until it is done. Return False
        if it still was at it: it may be past what came in last.
        """
        env, steward_lock = self._store.env, self._store.workspace.steward_lock
        lock = env.files.lock(steward_lock)
        if not lock.acquire(wait_seconds):
            return False
        try:
            env.files.truncate(steward_lock)  # nobody is to take us for the steward that was
            self._store.engine.inbox.release_all()
            self.drain_spool()
            if distil_seconds:
                self.distil(_time_limit(env, distil_seconds), _OPENER_TURNS)
            self.finish_erasures()
        finally:
            lock.release()
        self._store.engine.shorten_log(as_steward=False)
        return True

    def try_to_catch_up(self) -> bool:
        """Catch up, unless the disk is full or may not be written to: a caller that only reads can go on then."""
        self.hindrance = ""
        try:
            self.catch_up()
        except (StoreFull, OSError) as error:
            self.hindrance = f"what waits is not taken in yet: {error}"
        return not self.hindrance

    def has_waiting(self) -> bool:
        """Tell whether the spool has events that are not in the log yet."""
        return has_waiting(self._store.workspace.spool, self._store.env)


def _time_limit(env: Env, seconds: float) -> Enough:
    """Return whether the time is over, counted from the first question: loading the rules takes longer than using
    them."""
    until = 0.0

    def is_over() -> bool:
        nonlocal until
        until = until or env.monotonic() + seconds
        return env.monotonic() >= until

    return is_over
