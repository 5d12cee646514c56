"""How Reverie is doing, as a value: for `status`, the live view, and later the page."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.capture.drain import waiting_bytes
from reverie.capture.hook import is_off
from reverie.capture.spool import losses
from reverie.engines.sqlite.salvage import sign_of_damage
from reverie.errors import BadSettings
from reverie.memory import Memory
from reverie.models.budget import Today
from reverie.models.prices import nanodollars
from reverie.ports import Env
from reverie.settings import check_project_file
from reverie.shells.cli.show import when
from reverie.steward import Holder, holder
from reverie.workspace import PROJECT_FILE, Workspace, find_project, ignored_workspace

_HOOK_ERRORS_SHOWN = 3
# Sessions that no agent reported: notes, what programs handed in, and what people wrote into their files.
_NOT_CAPTURED = ("api", "past", "file")
WAY_OUT = "make it yours (`chown`, `chmod u+w`), or name another folder with --home or REVERIE_HOME"


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a person wants to know at a glance. Times are milliseconds since 1970."""

    home: str
    steward_pid: int | None
    steward_since_ms: int | None
    observations: int
    sessions: int
    learnings: int
    memories: Mapping[str, int]  # items by memory type
    quarantined: int
    actions: int
    queue: int
    queue_oldest_ms: int | None
    dead: int
    last_error: str
    spool_bytes: int
    damaged_spool_files: int  # set aside: what hooks captured, and what could not all be read
    hook_errors: int
    last_hook_errors: tuple[str, ...]
    spent_today_nanodollars: int
    daily_budget_nanodollars: int
    last_capture_ms: Mapping[str, int]
    now_ms: int
    warnings: tuple[str, ...]  # what a person should look at, in words


def write_obstacle(workspace: Workspace) -> str:
    """What keeps this process from writing to a workspace that is there; '' if nothing does."""
    for path in (workspace.home, workspace.database):
        if path.exists() and not os.access(path, os.W_OK):
            return f"you may only read {path}"
    return ""


def steward_of(workspace: Workspace, env: Env) -> Holder | None:
    """Who is the steward, as far as may be known: a lock that may not be opened tells nothing."""
    try:
        return holder(workspace, env)
    except PermissionError:
        return None


def hook_errors(memory: Memory) -> list[str]:
    """The lines that failing hooks left, with a date that people can read where they have only milliseconds."""
    lines = []
    for line in memory.read_file(memory.workspace.hook_errors).splitlines():
        first, _, rest = line.partition(" ")
        lines.append(f"{when(int(first))} {rest}" if first.isdecimal() and len(first) == 13 else line)
    return lines


def project_finding(project: Path) -> tuple[bool, str]:
    """Whether a project's own file is as it should be, and what it says; '' if there is none."""
    path = project / PROJECT_FILE
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True, ""
    try:
        is_on = check_project_file(text, str(path)).enabled
    except BadSettings as error:
        state = "nothing is captured there" if is_off(str(project), "") else "it has not opted out"
        return False, f"{error}; as it stands, {state}"
    return True, "" if is_on else f"{project} has opted out: nothing is captured or told there"


def status_of(memory: Memory) -> Status:
    env, workspace, engine = memory.env, memory.workspace, memory.engine
    health = engine.health()
    steward = steward_of(workspace, env)
    errors = hook_errors(memory)
    lost = losses(env.files.read(workspace.spool / "lock") or b"")
    if lost:
        errors.append(f"{lost} events could not be kept, nor the log be written: free some space on this disk")
    damaged = env.files.names(workspace.spool / "damaged")
    today = Today(env, engine.spend.last_day()).date()
    return Status(
        home=str(workspace.home),
        steward_pid=steward.pid if steward else None,
        steward_since_ms=steward.since_ms if steward else None,
        observations=engine.database.value(_OBSERVATIONS, (engine.user,)),
        sessions=health.sessions,
        learnings=health.learnings,
        memories=engine.items.counts(),
        quarantined=engine.items.count_quarantined(),
        actions=len(engine.actions.pending()),
        queue=health.waiting,
        queue_oldest_ms=health.oldest_waiting_ms,
        dead=health.dead,
        last_error=health.last_error,
        spool_bytes=waiting_bytes(workspace.spool, env),
        damaged_spool_files=len(damaged),
        hook_errors=len(errors) + max(0, lost - 1),
        last_hook_errors=tuple(errors[-_HOOK_ERRORS_SHOWN:]),
        spent_today_nanodollars=engine.spend.on_day(today),
        daily_budget_nanodollars=nanodollars(memory.settings.model.daily_dollars),
        last_capture_ms=dict(engine.database.rows(_CAPTURES, (engine.user, *_NOT_CAPTURED))),
        now_ms=env.now_ms(),
        warnings=tuple(_warnings(memory, lost, len(damaged))),
    )


# What is there, not what was counted: a repair may have lost some. The count reads an index alone.
_OBSERVATIONS = "SELECT count(*) FROM observations WHERE user_id = ?"
_CAPTURES = (
    "SELECT project, max(last_ms) FROM sessions WHERE user_id = ? AND source NOT IN (?, ?, ?) "
    "GROUP BY project ORDER BY 2 DESC LIMIT 20"
)


def _warnings(memory: Memory, lost: int, damaged: int) -> Iterator[str]:
    workspace = memory.workspace
    if sign := sign_of_damage(memory.engine.database):
        yield f"the record is damaged ({sign}); stop the steward and run `reverie doctor --repair`"
    if obstacle := write_obstacle(workspace):
        yield f"{obstacle}; {WAY_OUT}"
    known = [Path(it) for it in memory.engine.health().last_capture_ms if it]
    for project in dict.fromkeys([find_project(Path.cwd()), *known]):
        if said := project_finding(project)[1]:
            yield said
    if lost:
        yield f"{lost} events could not be kept because the disk was full; free some space"
    if damaged:
        yield (
            f"{damaged} damaged spool files are set aside in {workspace.spool / 'damaged'}: "
            "some of what hooks captured could not be read"
        )
    if ignored := ignored_workspace(memory.env, Path.cwd()):
        yield f"{ignored} is not used, because nobody ran `reverie init` there as you; whoever made it may not be you"
