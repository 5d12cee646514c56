"""Claimed work -> done, skipped or dead. Knows leases and attempts; what the work *is* comes in as a function.

`prepare(work)` does the expensive part, outside any transaction, and returns what is to be written. Writing and `done`
commit together or not at all, so that a killed or paused worker neither loses nor doubles anything.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from reverie.errors import LeaseLost, ModelUnavailable, OverBudget, ReverieError
from reverie.ports import Env, Inbox
from reverie.records import Stage, Work
from reverie.settings import InboxSettings

Commit = Callable[[], None]
Prepare = Callable[[Work], Commit]

UNAVAILABLE = "model unavailable"
_FIRST_BACKOFF_SECONDS = 1.0
_LONGEST_BACKOFF_SECONDS = 60.0


@dataclass
class Backoff:
    """1 s, 2 s, 4 s … 60 s between failures that are not the work's fault; back to nothing at the first success."""

    consecutive_errors: int = 0

    def seconds(self) -> float:
        doublings = min(10, max(0, self.consecutive_errors - 1))
        return min(_LONGEST_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2.0**doublings)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch. `errors` names what went wrong, in order."""

    done: int = 0
    skipped: int = 0
    failed: int = 0
    dead: int = 0
    lost: int = 0
    errors: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.done or self.skipped or self.failed or self.dead or self.lost)

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.done + other.done,
            self.skipped + other.skipped,
            self.failed + other.failed,
            self.dead + other.dead,
            self.lost + other.lost,
            self.errors + other.errors,
        )


class Worker:
    """Works off one stage of the inbox. Its token tells its leases from everybody else's."""

    def __init__(
        self, inbox: Inbox, transaction: Callable[[], AbstractContextManager[None]], env: Env, settings: InboxSettings
    ) -> None:
        self._inbox = inbox
        self._transaction = transaction
        self._env = env
        self._settings = settings
        self.token = env.random_bytes(8).hex()
        self.backoff = Backoff()

    def run(self, stage: Stage, prepare: Prepare, limit: int | None = None) -> Outcome:
        """Claim one batch and see it through. An empty outcome means that nothing was waiting."""
        lease_ms = int(self._settings.lease_seconds * 1000)
        batch = self._inbox.claim(stage, limit or self._settings.batch, self._env.now_ms(), lease_ms, self.token)
        outcome = Outcome()
        ready: list[tuple[Work, Commit]] = []
        for work in batch:
            try:
                ready.append((work, prepare(work)))
            except OverBudget as error:
                outcome += self._skip(work, f"over budget: {error}")
            except ModelUnavailable as error:
                outcome += self._postpone(work, error)
            except Exception as error:
                outcome += self._fail(work, describe(error))
        return outcome + self._settle(ready)

    def _settle(self, ready: Sequence[tuple[Work, Commit]]) -> Outcome:
        """Write a whole batch in one transaction; if that fails, halve it until the culprit stands alone."""
        if not ready:
            return Outcome()
        try:
            with self._transaction():
                for work, commit in ready:
                    commit()
                    self._inbox.done(work)
            self.backoff.consecutive_errors = 0
            return Outcome(done=len(ready))
        except Exception as error:
            if len(ready) > 1:
                middle = len(ready) // 2
                return self._settle(ready[:middle]) + self._settle(ready[middle:])
            if isinstance(error, LeaseLost):
                return Outcome(lost=1)
            return self._fail(ready[0][0], describe(error))

    def _skip(self, work: Work, reason: str) -> Outcome:
        try:
            self._inbox.skip(work, reason)
        except LeaseLost:
            return Outcome(lost=1)
        return Outcome(skipped=1)

    def _postpone(self, work: Work, error: ModelUnavailable) -> Outcome:
        """An outage is nobody's fault: as long as the turn is fresh, its last attempt is its first again.

        Unless the call may have been charged for: five of those are enough. Who has just started goes on where the
        last one was: the work's own attempts say how long it has been so.
        """
        self.backoff.consecutive_errors = max(self.backoff.consecutive_errors + 1, work.attempts)
        reason, wait = f"{UNAVAILABLE}: {error}", error.retry_after_seconds
        is_fresh = self._env.now_ms() - work.closed_ms < self._settings.stale_hours * 3_600_000
        with self._transaction():
            outcome = self._fail(work, reason, wait)
            if outcome.dead and is_fresh and error.unbilled:
                self._inbox.retry([work.id], self._retry_at_ms(wait))
                return Outcome(failed=1, errors=(reason,))
        return outcome

    def _fail(self, work: Work, reason: str, wait_seconds: float | None = None) -> Outcome:
        is_dead = self._inbox.fail(work, reason, self._retry_at_ms(wait_seconds), self._settings.max_attempts)
        return Outcome(failed=not is_dead, dead=is_dead, errors=(reason,))

    def _retry_at_ms(self, wait_seconds: float | None) -> int:
        return self._env.now_ms() + int(1000 * max(wait_seconds or 0.0, self.backoff.seconds()))


def describe(error: Exception) -> str:
    """One line about an error, fit for a list of dead letters."""
    text = str(error) if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:300]
