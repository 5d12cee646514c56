"""Calls that may hang, each with a time of its own: calls in, what each of them said or raised out.

The calls of one prompt run one after the other on a worker thread while the caller waits, so that one that hangs can be
left behind; the rest go on with another worker. A worker is used again for the next prompt, so that in the normal case
a prompt costs two changes of thread. A call that holds the interpreter's lock cannot be left behind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread, local
from weakref import finalize

# Calls of one name that may hang at once, for different users; more would let threads pile up.
_HANGING_AT_ONCE = 3


@dataclass(eq=False, slots=True)
class Job:
    """One call: who is asked, for which user, within what; and what is said meanwhile, for the caller to take."""

    name: str
    user_id: str
    call: Callable[[], None]
    within: object = None
    said: list[object] = field(default_factory=list)  # what comes too late is never taken from here
    error: Exception | None = None  # what it raised, or Late


class Late(Exception):
    """A call did not come back in time, or was not made because there was none. Says which."""


@dataclass(eq=False, slots=True)
class _Batch:
    """Calls on their way through a worker."""

    jobs: Sequence[Job]
    began: float  # when the call that runs now began
    place: int = 0  # of that call
    abandoned: bool = False
    done: Lock = field(default_factory=Lock)  # held until all are over


_Inbox = SimpleQueue[_Batch | None]


class Runner:
    """Runs calls, and remembers which of them hang."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = Lock()
        self._here = local()
        self._hanging: list[Job] = []
        self._idle: list[_Inbox] = []
        finalize(self, _dismiss, self._idle)

    def current(self) -> Job | None:
        """The call that runs on this thread, if any."""
        return getattr(self._here, "job", None)

    def run(self, jobs: Sequence[Job], seconds: float, ends: float) -> None:
        """Run calls, each for so many seconds at most and all until `ends`. Each has its `error`, if there was one."""
        left: Sequence[Job] = [job for job in jobs if not self._hangs(job)]
        while left:
            if self._monotonic() >= ends:
                for job in left:
                    job.error = Late("no time was left to ask it")
                return
            left = self._run(left, seconds, ends)

    def _hangs(self, job: Job) -> bool:
        with self._lock:
            hanging = [one.user_id for one in self._hanging if one.name == job.name]
        if job.user_id in hanging or len(hanging) >= _HANGING_AT_ONCE:
            job.error = Late("an earlier call to it has not come back yet")
        return job.error is not None

    def _run(self, jobs: Sequence[Job], seconds: float, ends: float) -> Sequence[Job]:
        """Run them until one hangs; the ones after it are handed back."""
        worker = self._worker()
        batch = _Batch(jobs, self._monotonic())
        batch.done.acquire()
        worker.put(batch)
        wait = min(seconds, ends - batch.began)
        try:
            while not batch.done.acquire(timeout=max(wait, 0)):
                with self._lock:
                    now = self._monotonic()
                    wait = min(batch.began + seconds, ends) - now
                    if wait <= 0 and batch.place < len(jobs):
                        return self._abandon(batch, now)
            with self._lock:
                self._idle.append(worker)
            return ()
        except BaseException:  # the caller is interrupted, and waits no longer
            with self._lock:
                if batch.place < len(jobs):
                    self._abandon(batch, self._monotonic())
                else:
                    self._idle.append(worker)
            raise

    def _abandon(self, batch: _Batch, now: float) -> Sequence[Job]:
        batch.abandoned = True
        late = batch.jobs[batch.place]
        late.error = Late(f"it did not answer within {(now - batch.began) * 1000:.0f} ms")
        self._hanging.append(late)
        return batch.jobs[batch.place + 1 :]

    def _worker(self) -> _Inbox:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        inbox: _Inbox = SimpleQueue()
        inside = (inbox, self._here, self._lock, self._hanging, self._monotonic)
        Thread(target=_work, args=inside, name="reverie-compose", daemon=True).start()
        return inbox


def _work(
    inbox: _Inbox, here: local, lock: Lock, hanging: list[Job], monotonic: Callable[[], float]
) -> None:  # it must not hold on to the Runner, which dismisses it when it goes
    """The life of a worker: one batch after the other, until it is dismissed or was left behind."""
    while (batch := inbox.get()) is not None:
        for job in batch.jobs:
            here.job = job
            error = _raised(job)
            here.job = None
            with lock:
                if batch.abandoned:
                    hanging.remove(job)
                    return
                job.error = error
                batch.place += 1
                batch.began = monotonic()
        batch.done.release()
        del batch, job  # an idle worker holds on to nobody's data


def _raised(job: Job) -> Exception | None:
    try:
        job.call()
    except Exception as error:
        return error
    except BaseException as error:  # who is asked for a text cannot end the program
        return RuntimeError(f"it ended with {type(error).__name__}")
    return None


def _dismiss(idle: list[_Inbox]) -> None:
    for inbox in idle:
        inbox.put(None)
