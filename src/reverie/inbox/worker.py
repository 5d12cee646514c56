"""Claimed work -> done, skipped or dead. Knows leases and attempts; what the work *is* comes in as a function.

`prepare(work)` does the expensive part, outside any transaction, and returns what is to be written. Writing and `done`
commit together or not at all, so that a killed or paused worker neither loses nor doubles anything.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from reverie.errors import LeaseLost, ModelError, ModelUnavailable, OverBudget, ReverieError
from reverie.ports import Env, Inbox
from reverie.records import MAX_ATTEMPTS, OVER_BUDGET, Stage, Work
from reverie.settings import InboxSettings

Commit = Callable[[], None]
Prepare = Callable[[Work], Commit]

BATCH = 200  # turns per claim: two syncs are shared by that many
LEASE_SECONDS = 120.0  # longer than the slowest model call, so that a lease outlives honest work
_FIRST_BACKOFF_SECONDS = 1.0
_LONGEST_BACKOFF_SECONDS = 60.0
# Between calls about one turn that may have been charged for, although no answer came: twelve in the first hour, then
# one an hour.
_LONGEST_IF_PAID_SECONDS = 3600.0
# An answer that was paid for and cannot be used. The second try is for a model that had a bad moment; a third would buy
# the same again.
_PAID_TRIES = 2
# Once a minute for six hours is 360. More means that the clock was set back, and nothing is to wait for weeks.
_MOST_WAITS = 1000


@dataclass
class Backoff:
    """1 s, 2 s, 4 s … 60 s between failures, longer if the server asks for it; nothing after the first success."""

    consecutive_errors: int = 0
    asked_seconds: float = 0.0

    def seconds(self) -> float:
        return max(self.asked_seconds, _doubled(self.consecutive_errors, _LONGEST_BACKOFF_SECONDS))

    def fail(self, times: int, asked_seconds: float = 0.0) -> None:
        """A new worker goes on where the last one was: the work says how many `times` it has been so."""
        self.consecutive_errors = max(self.consecutive_errors + 1, times)
        self.asked_seconds = asked_seconds

    def succeed(self) -> None:
        self.consecutive_errors, self.asked_seconds = 0, 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of what became of a batch. `errors` names what went wrong, in order."""

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

    def run(
        self, stage: Stage, prepare: Prepare, limit: int | None = None, enough: Callable[[], bool] = lambda: False
    ) -> Outcome:
        """Claim one batch and see it through. An empty outcome means that nothing was waiting.

        After each piece it asks whether that is `enough`; what nobody has looked at then waits as before.
        """
        lease_ms = int(LEASE_SECONDS * 1000)
        batch = self._inbox.claim(stage, limit or BATCH, self._env.now_ms(), lease_ms, self.token)
        outcome = Outcome()
        ready: list[tuple[Work, Commit]] = []
        for number, work in enumerate(batch):
            if number and enough():
                self._inbox.put_back(batch[number:])
                break
            try:
                ready.append((work, prepare(work)))
            except OverBudget as error:
                outcome += self._skip(work, f"{OVER_BUDGET}: {error}")
            except ModelUnavailable as error:
                outcome += self._postpone(work, error)
            except ModelError as error:
                outcome += self._blame(work, error)
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
            self.backoff.succeed()
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
        """An outage is not the work's fault: as long as the turn is fresh, the attempt does not count.

        What may have been charged for is tried ever more rarely, so that an outage does not eat the budget.
        """
        times = work.waits + 1
        self.backoff.fail(times, error.retry_after_seconds or 0.0)
        wait = _doubled(times, _LONGEST_BACKOFF_SECONDS if error.unbilled else _LONGEST_IF_PAID_SECONDS)
        is_fresh = self._env.now_ms() - work.closed_ms < self._settings.stale_hours * 3_600_000
        is_counted = not is_fresh or times >= _MOST_WAITS
        reason = f"model unavailable{f' {times} times' if times > 1 else ''}: {describe(error)}"
        work = replace(work, attempts=work.attempts if is_counted else work.attempts - 1)
        return self._fail(work, reason, wait, self._tries(error), times)

    def _blame(self, work: Work, error: ModelError) -> Outcome:
        """It is about this very turn: too long, refused, or answered with what cannot be read."""
        self.backoff.fail(work.attempts)
        wait = _doubled(work.attempts, _LONGEST_BACKOFF_SECONDS) if error.unbilled else _LONGEST_BACKOFF_SECONDS
        return self._fail(work, describe(error), wait, self._tries(error))

    def _tries(self, error: ModelError) -> int:
        return MAX_ATTEMPTS if error.unbilled else min(_PAID_TRIES, MAX_ATTEMPTS)

    def _fail(
        self, work: Work, reason: str, wait_seconds: float | None = None, tries: int | None = None, waits: int = 0
    ) -> Outcome:
        wait = _doubled(work.attempts, _LONGEST_BACKOFF_SECONDS) if wait_seconds is None else wait_seconds
        retry_at_ms = self._env.now_ms() + int(1000 * max(wait, self.backoff.seconds()))
        work = replace(work, waits=waits)
        is_dead = self._inbox.fail(work, reason, retry_at_ms, tries or MAX_ATTEMPTS)
        return Outcome(failed=not is_dead, dead=is_dead, errors=(reason,))


def _doubled(times: int, longest: float) -> float:
    """Compute the wait after the first, second, third … failure.

    >>> [_doubled(times, 60.0) for times in (1, 2, 3, 6, 7, 10_000)]
    [1.0, 2.0, 4.0, 32.0, 60.0, 60.0]
    """
    return min(longest, _FIRST_BACKOFF_SECONDS * 2.0 ** min(20, max(0, times - 1)))


def describe(error: Exception) -> str:
    """One line about an error, fit for a list of dead letters."""
    text = str(error) if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:300]
