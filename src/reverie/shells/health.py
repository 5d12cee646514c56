"""How Reverie is doing, as a value: for `status`, the live view, and later the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from reverie.memory import Memory
from reverie.models.budget import Today
from reverie.models.prices import nanodollars
from reverie.steward import holder

_HOOK_ERRORS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a person wants to know at a glance. Times are milliseconds since 1970."""

    home: str
    steward_pid: int | None
    steward_since_ms: int | None
    observations: int
    sessions: int
    learnings: int
    actions: int
    queue: int
    queue_oldest_ms: int | None
    dead: int
    last_error: str
    spool_bytes: int
    hook_errors: int
    last_hook_errors: tuple[str, ...]
    spent_today_nanodollars: int
    daily_budget_nanodollars: int
    last_capture_ms: Mapping[str, int]
    now_ms: int


def status_of(memory: Memory) -> Status:
    env, workspace, engine = memory.env, memory.workspace, memory.engine
    health = engine.health()
    steward = holder(workspace, env)
    errors = memory.read_file(workspace.hook_errors).splitlines()
    today = Today(env, engine.spend.last_day()).date()
    return Status(
        home=str(workspace.home),
        steward_pid=steward.pid if steward else None,
        steward_since_ms=steward.since_ms if steward else None,
        observations=health.observations,
        sessions=health.sessions,
        learnings=health.learnings,
        actions=len(engine.actions.pending()),
        queue=health.waiting,
        queue_oldest_ms=health.oldest_waiting_ms,
        dead=health.dead,
        last_error=health.last_error,
        spool_bytes=sum(env.files.size(workspace.spool / name) for name in env.files.names(workspace.spool)),
        hook_errors=len(errors),
        last_hook_errors=tuple(errors[-_HOOK_ERRORS_SHOWN:]),
        spent_today_nanodollars=engine.spend.on_day(today),
        daily_budget_nanodollars=nanodollars(memory.settings.model.daily_dollars),
        last_capture_ms=health.last_capture_ms,
        now_ms=env.now_ms(),
    )
