"""The state of Reverie, as values: for `status` and `doctor`."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.capture.drain import waiting_bytes
from reverie.daemon.heartbeat import WORK, Pulse, read_pulse
from reverie.daemon.steward import TAKING_IN
from reverie.daemon.steward_lock import Holder, holder
from reverie.errors import BadSettings
from reverie.foundation.workspace import PROJECT_FILE, Workspace, expanded, find_home, find_project, ignored_workspace
from reverie.hook.locate import NotAFile, open_file
from reverie.hook.opt_out import VARIABLE, opted_out_by, switched_off_by
from reverie.hook.spool import has_our_name, is_record_file, losses
from reverie.memory import Memory
from reverie.mirrors import text_of
from reverie.models.budget import Today
from reverie.models.prices import nanodollars
from reverie.ports import Env
from reverie.records import Health
from reverie.settings import REMOVED, check_project_file, ignored_variables, removed_settings
from reverie.shells.access import WAY_OUT, write_obstacle
from reverie.shells.cli.show import age, when
from reverie.shells.model_health import model_trouble

_HOOK_ERRORS_SHOWN = 3
_SPOOL_SECONDS = 30.0  # a steward takes in what waits within a second
_PAST_DAYS = 7  # so long, what hooks once could not keep is still told by `status`; by `doctor`, always
_LATE_MS = 2 * 86_400_000
_ROOM_BYTES = 1_000_000  # less than this is a full disk


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a person wants to know at a glance. Times are milliseconds since 1970."""

    home: str
    steward_pid: int | None
    steward_since_ms: int | None
    steward_why: str
    late_answers: int  # of today and yesterday: what a hook could not wait for was told with the next prompt
    observations: int
    sessions: int
    learnings: int
    memories: Mapping[str, int]  # items by memory type
    unsorted_observations: int  # found by `search`, but in no memory type until a steward has run
    unsorted_learnings: int
    quarantined: int
    actions: int
    queue: int
    queue_oldest_ms: int | None
    dead: int
    over_budget: int  # turns that no model has seen, because asking one might have cost too much
    last_error: str
    spool_bytes: int
    damaged_spool_files: int  # set aside: what hooks captured, and what could not all be read
    spool_oldest_ms: int | None
    steward_last_error: str
    steward_last_error_ms: int | None
    hook_errors: int  # lines in their log
    last_hook_errors: tuple[str, ...]
    lost_events: int  # of which not even a line in that log could be written
    last_failure_ms: int | None  # of either
    failures_are_over: bool  # events have come in since
    wal_bytes: int
    wal_readers: tuple[int, ...]  # processes that read the record right now, as far as they can be found out
    owes_erasing: bool  # a file of the record may still say something that was forgotten for good
    spent_today_nanodollars: int
    own_counts_today: int  # calls booked by our own count, because the model's server reported under half of it
    daily_budget_nanodollars: int
    last_capture_ms: Mapping[str, int]
    now_ms: int
    past: tuple[str, ...]  # what went wrong lately, and no longer does
    warnings: tuple[str, ...]  # what a person should look at, in words


def steward_of(workspace: Workspace, env: Env) -> Holder | None:
    """Return the process that is the steward, if that can be known: a lock that may not be opened tells nothing."""
    try:
        return holder(workspace, env)
    except PermissionError:
        return None


# ---- the steward


@dataclass(frozen=True, slots=True)
class StewardHealth:
    """The process that is the steward, its heartbeat, and what is wrong with it, in words."""

    holder: Holder | None
    pulse: Pulse | None
    troubles: tuple[str, ...]


def steward_health(workspace: Workspace, env: Env) -> StewardHealth:
    found = steward_of(workspace, env)
    if not found or not found.pid:  # a hook or a command may hold the lock for a moment; that is no steward
        return StewardHealth(None, None, ())
    pulse = read_pulse(workspace.pulse, env, found.pid)
    return StewardHealth(found, pulse, tuple(pulse.troubles(env.monotonic())) if pulse else ())


# ---- the spool


@dataclass(frozen=True, slots=True)
class SpoolHealth:
    """The bytes that wait in the spool, since when, and what is wrong with it, in words ("" if nothing is)."""

    bytes: int
    oldest_ms: int | None
    damaged_files: tuple[str, ...]
    trouble: str


def spool_health(workspace: Workspace, env: Env, steward: StewardHealth) -> SpoolHealth:
    folder = workspace.spool
    obstacle = spool_obstacle(workspace)
    if obstacle and not (folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        return SpoolHealth(0, None, (), obstacle)
    size, oldest_ms = waiting_bytes(folder, env), None
    if size:
        files = [path for path in folder.iterdir() if is_record_file(str(folder), path.name)]
        oldest_ms = min((at for path in files if (at := _first_record_ms(path))), default=None)
    trouble = obstacle or _stuck(size, oldest_ms, steward, env)
    return SpoolHealth(size, oldest_ms, tuple(env.files.names(folder / "damaged")), trouble)


def spool_obstacle(workspace: Workspace) -> str:
    """Say what keeps hooks from writing to the spool, or us from reading it; "" if nothing does."""
    folder = workspace.spool
    for path, what in misplaced(workspace):
        then = "it is neither written nor read" if has_our_name(path.name) else "hooks can keep nothing"
        return f"{path} is not a {what}, so {then}; `reverie doctor --repair` sets it aside"
    for path, needed in ((folder, os.W_OK | os.X_OK), (folder / "lock", os.W_OK), (folder / "current", os.W_OK)):
        if path.exists() and not os.access(path, needed):
            return f"you have no permission to write to {path}, so hooks can keep nothing; `chmod u+rwX`, or `chown` it"
    return ""


def misplaced(workspace: Workspace) -> Iterator[tuple[Path, str]]:
    """Yield each path where something else stands than hooks need, and what they need."""
    folder = workspace.spool
    if os.path.lexists(folder) and not folder.is_dir():  # a link that leads nowhere, too
        yield folder, "folder"
        return
    for name in ("lock", "drain.lock"):
        if _kind(folder / name) not in (0, stat.S_IFREG):
            yield folder / name, "file"
    names = sorted(os.listdir(folder)) if os.access(folder, os.R_OK | os.X_OK) else []
    for name in names:  # a folder is nobody's mistake: hooks write beside it
        if has_our_name(name) and _kind(folder / name) not in (0, stat.S_IFREG, stat.S_IFDIR):
            yield folder / name, "regular file"


def _kind(path: Path) -> int:
    """Return the type of a file, without following a link; 0 if it is not there."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return 0


def _first_record_ms(path: Path) -> int | None:
    """Return when the first event in a file of the spool happened: its first bytes say so."""
    try:
        with open(open_file(str(path), os.O_RDONLY), "rb") as file:
            found = re.search(rb'"at": ?(\d{13})\D', file.read(400))
    except OSError:
        return None
    return int(found[1]) if found else None


def _stuck(size: int, oldest_ms: int | None, steward: StewardHealth, env: Env) -> str:
    """Whether there is a steward that ought to have taken it in."""
    if not size or not steward.holder:
        return ""
    now, work = env.monotonic(), steward.pulse.threads.get(WORK) if steward.pulse else None
    if steward.pulse and work and (work.failing or steward.pulse.is_hung(now)):
        return f"{size:,} bytes are waiting in the spool, and the steward does not take them in"
    waited_ms = env.now_ms() - max(oldest_ms or 0, steward.holder.since_ms)
    is_at_it = work is not None and work.doing == TAKING_IN and now - work.at <= work.patience_seconds
    if oldest_ms is None or waited_ms < _SPOOL_SECONDS * 1000 or is_at_it:
        return ""
    return f"{size:,} bytes are waiting in the spool, the oldest for {age(waited_ms)}, although a steward runs"


# ---- what hooks could not do


@dataclass(frozen=True, slots=True)
class Failures:
    """The events that hooks could not store: lines in their log, and events of which not even a line could be written.

    They are over when an event has come in since the last one: then whatever was the cause has gone.
    """

    lines: tuple[str, ...]
    lost: int
    last_ms: int | None
    are_over: bool

    def said(self) -> Iterator[str]:
        """Each kind in words."""
        until = f" until {when(self.last_ms)}" if self.are_over and self.last_ms else ""
        since = "; events have come in since" if self.are_over else ""
        if self.lost:
            way_out = since or "; free some space"
            yield f"{self.lost:,} events could not be kept{until} because the disk was full{way_out}"
        if self.lines:
            yield f"{len(self.lines):,} failures in hook-errors.log{until}; last: {self.lines[-1]}{since}"


def failures(workspace: Workspace, env: Env, memory: Memory | None = None) -> Failures:
    """Without a memory nothing is known to have come in since."""
    files, log = env.files, workspace.hook_errors
    text = "".join(_said_in(path, env) for path in (log.with_name(f"{log.name}.1"), log))
    lines, times = [], [0]
    for line in text.splitlines():
        first, _, rest = line.partition(" ")
        is_timed = first.isdecimal() and len(first) == 13
        lines.append(f"{when(int(first))} {rest}" if is_timed else line)
        times += [int(first)] if is_timed else []
    try:
        lost, lost_ms = losses(files.read(workspace.spool / "lock") or b"")
    except OSError:  # a folder that may not be looked into is told of elsewhere
        lost = lost_ms = 0
    last_ms = max(*times, lost_ms)
    came_ms = memory.engine.health().latest_event_ms or 0 if memory and last_ms else 0
    has_room = not lost or free_bytes(workspace.home) >= _ROOM_BYTES
    return Failures(tuple(lines), lost, last_ms or None, came_ms > last_ms and has_room)


def _said_in(log: Path, env: Env) -> str:
    try:
        return text_of(env.files.read(log, follow=False) or b"")
    except NotAFile:  # hooks do not write to it either, and `doctor` says so
        return ""


def free_bytes(folder: Path) -> int:
    space = os.statvfs(folder)
    return space.f_bavail * space.f_frsize


# ---- a project's own file


def project_finding(project: Path) -> tuple[bool, str]:
    """Whether a project's own file is as it should be, and what it, or one above it, says; '' if that is nothing."""
    path, decides = project / PROJECT_FILE, opted_out_by(str(project))
    try:
        with open(open_file(str(path), os.O_RDONLY, follow=True), encoding="utf-8", errors="replace") as file:
            check_project_file(file.read(), str(path))
    except BadSettings as error:
        state = "nothing is captured there" if decides else "it has not opted out"
        return False, f"{error}; as it stands, {state}"
    except OSError:
        pass  # it has none of its own
    by = f" by {decides}" if decides not in ("", str(path)) else ""
    return True, f"{project} has opted out{by}: nothing is captured or told there" if decides else ""


# ---- what keeps events from coming here


def capture_off(workspace: Workspace, env: Env) -> str:
    """Say what switches capture off for the whole workspace; "" if nothing does."""
    variable = env.variable(VARIABLE) or ""
    by = switched_off_by(str(workspace.home), variable)
    if not by:
        return ""
    said = f"{VARIABLE} is {variable!r}" if by == VARIABLE else f"{by} says [project] enabled = false"
    return f"{said}, so nothing is captured or told in any project"


def reported_to(named: str, env: Env, project: Path) -> Path:
    """The workspace that hooks report to from a project: the one that they name, else what they find by themselves."""
    return expanded(named, env) if named else find_home(env, project)


def reports_elsewhere(named: str, workspace: Workspace, env: Env, project: Path) -> str:
    """Say where hooks report to if that is not here, and the ways out; "" if it is here."""
    there = reported_to(named, env, project)
    if os.path.realpath(there) == os.path.realpath(workspace.home):
        return ""
    return (
        f"they report to {there}, not to {workspace.home}; `reverie --home {there} status` looks there, "
        f"`reverie --home {workspace.home} install claude-code` makes them report here"
    )


def ignored_settings(workspace: Workspace, env: Env) -> str:
    """Name, in one line, what looks like a setting and is none, or no longer is one; '' if there is nothing."""
    told = []
    if names := ignored_variables(env):
        told.append(f"{', '.join(names)}: not {'a setting' if len(names) == 1 else 'settings'}; ignored")
    if removed := removed_settings(workspace, env):
        what, it = ("no longer a setting", "it") if len(removed) == 1 else ("no longer settings", "them")
        where = f"{workspace.settings.name} or the environment"
        named = ", ".join(f"{path} (now fixed at {REMOVED[path]})" for path in removed)
        told.append(f"{named}: {what}; ignored, remove {it} from {where}")
    return "; ".join(told)


def status_of(memory: Memory) -> Status:
    env, workspace, engine = memory.env, memory.workspace, memory.engine
    health = engine.health()
    steward = steward_health(workspace, env)
    spool = spool_health(workspace, env, steward)
    failed = failures(workspace, env, memory)
    log = engine.log_file()
    today = Today(env, engine.spend.last_day())
    return Status(
        home=str(workspace.home),
        steward_pid=steward.holder.pid if steward.holder else None,
        steward_since_ms=steward.holder.since_ms if steward.holder else None,
        steward_why=steward.holder.why if steward.holder else "",
        late_answers=sum(1 for _, at_ms in engine.trace.turns(1_000, "late") if at_ms > env.now_ms() - _LATE_MS),
        steward_last_error=steward.pulse.last_error if steward.pulse else "",
        steward_last_error_ms=(steward.pulse.last_error_ms or None) if steward.pulse else None,
        observations=health.observations,
        sessions=health.sessions,
        learnings=health.learnings,
        memories=engine.items.counts(),
        unsorted_observations=health.unsorted_observations,
        unsorted_learnings=health.unsorted_learnings,
        quarantined=engine.items.count_quarantined(),
        actions=len(engine.actions.pending()),
        queue=health.waiting,
        queue_oldest_ms=health.oldest_waiting_ms,
        dead=health.dead,
        over_budget=health.over_budget,
        last_error=health.last_error,
        spool_bytes=spool.bytes,
        spool_oldest_ms=spool.oldest_ms,
        damaged_spool_files=len(spool.damaged_files),
        hook_errors=len(failed.lines),
        last_hook_errors=failed.lines[-_HOOK_ERRORS_SHOWN:],
        lost_events=failed.lost,
        last_failure_ms=failed.last_ms,
        failures_are_over=failed.are_over,
        wal_bytes=log.bytes,
        wal_readers=log.readers,
        owes_erasing=log.holds_forgotten,
        spent_today_nanodollars=engine.spend.on_day(today.date()),
        own_counts_today=engine.spend.own_counts_on_day(today.date()),
        daily_budget_nanodollars=nanodollars(memory.settings.model.daily_dollars),
        last_capture_ms=health.last_capture_ms,
        now_ms=env.now_ms(),
        past=tuple(failed.said()) if failed.are_over and _is_recent(failed, env) else (),
        warnings=(*_warnings(memory, health, steward, spool, failed), *_day_ahead(today)),
    )


def _day_ahead(today: Today) -> Iterator[str]:
    if today.is_ahead_of_clock():
        yield (
            f"the clock was set back: spending counts for {today.date()}, the newest day in the record; a higher "
            "daily_dollars in [model] helps if its budget is used up"
        )


def _is_recent(failed: Failures, env: Env) -> bool:
    return env.now_ms() - (failed.last_ms or 0) < _PAST_DAYS * 86_400_000


def _warnings(
    memory: Memory, health: Health, steward: StewardHealth, spool: SpoolHealth, failed: Failures
) -> Iterator[str]:
    workspace = memory.workspace
    yield from steward.troubles
    yield from memory.engine.log_file().troubles()
    if sign := memory.engine.sign_of_damage():
        yield f"the record is damaged ({sign}); stop the steward and run `reverie doctor --repair`"
    if obstacle := write_obstacle(workspace):
        yield f"{obstacle}; {WAY_OUT}"
    elif memory.parts.profile.is_owner and (hidden := memory.parts.profile.user_file.obstacle()):
        yield hidden
    if off := capture_off(workspace, memory.env):
        yield off
    if ignored := ignored_settings(memory.workspace, memory.env):
        yield ignored
    if cannot_ask := model_trouble(steward.pulse, memory.settings, memory.env):
        yield cannot_ask
    known = [Path(it) for it in health.last_capture_ms if it]
    for project in dict.fromkeys([find_project(Path.cwd()), *known]):
        if said := project_finding(project)[1]:
            yield said
    if spool.trouble:
        yield spool.trouble
    if not failed.are_over:
        yield from failed.said()
    if spool.damaged_files:
        yield (
            f"{len(spool.damaged_files)} damaged spool files are set aside in {workspace.spool / 'damaged'}: "
            "some of what hooks captured could not be read"
        )
    if unused := ignored_workspace(memory.env, Path.cwd()):
        yield f"{unused} is not used, because you did not run `reverie admin init` there; someone else may have made it"
