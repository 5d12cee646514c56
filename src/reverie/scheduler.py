"""Decide what is due when, for each user, on the clock of `Env`. The time of each last run is kept in the record."""

from dataclasses import dataclass
from typing import Protocol


class Runs(Protocol):
    """The last runs of jobs, in the record of one user."""

    def last_run_ms(self, job: str) -> int | None: ...

    def set_last_run(self, job: str, at_ms: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be done again and again: `every_minutes` after it was last done, at the earliest."""

    name: str
    every_minutes: float
    doing: str  # what the daemon says that it does meanwhile


# Silent conversations are looked for often: the next session should find the summary of the last one.
COLLAPSE = Job("collapse", 5, "summarising conversations")
# Threads, skills and twins do not change faster than this.
MAINTENANCE = Job("maintenance", 10, "tidying up")
JOBS = (COLLAPSE, MAINTENANCE)


def due(runs: Runs, now_ms: int) -> list[Job]:
    """Return the jobs that are due: also one that ran in the future, because a clock was set back.

    The first interval of a job begins when it is first asked for: a new store has nothing to tidy up.
    """
    found = []
    for job in JOBS:
        last_ms = runs.last_run_ms(job.name)
        if last_ms is None:
            runs.set_last_run(job.name, now_ms)
        elif not 0 <= now_ms - last_ms < job.every_minutes * 60_000:
            found.append(job)
    return found
