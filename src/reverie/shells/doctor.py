"""Every check that tells a healthy workspace from a sick one, and the repairs that can be made without asking."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from reverie.capture.drain import has_waiting
from reverie.engines.sqlite.damaged_rows import Damaged
from reverie.engines.sqlite.database import check_library
from reverie.engines.sqlite.looking import broken_trees, damaged_rows
from reverie.engines.sqlite.salvage import DERIVED, repair_rows, salvage
from reverie.engines.sqlite.schema import read_versions, write_version
from reverie.engines.sqlite.wal import BUSY_TIMEOUT_MS
from reverie.env import RealEnv
from reverie.errors import BadSettings, ReverieError, StoreError
from reverie.memory import Memory
from reverie.settings import Settings, load_settings
from reverie.shells.cli.show import age, counted, when
from reverie.shells.health import (
    WAY_OUT,
    capture_off,
    failures,
    free_bytes,
    ignored_settings,
    misplaced,
    project_finding,
    read_obstacle,
    reports_elsewhere,
    spool_health,
    spool_obstacle,
    steward_health,
    steward_of,
    write_obstacle,
)
from reverie.shells.install import Installation, Scope, State, faulty, installed, refresh
from reverie.shells.model_health import model_trouble
from reverie.workspace import Workspace

# File systems on which locks or shared memory between processes cannot be relied upon.
_NETWORKED = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "webdav", "davfs")
_PASSES = 2  # what belongs to a row that was set aside is found by the next look
_SHOWN_ROWS = 3  # of those that are damaged; the others are counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    is_fine: bool
    detail: str


def examine(
    workspace: Workspace,
    env: RealEnv,
    project: Path,
    *,
    repair: bool,
    overrides: Mapping[str, str] | None = None,
    is_named: bool = False,
) -> list[Finding]:
    """Look at everything; with `repair`, mend it and say what was done.

    Each check is made whatever the others find; only what is in a record needs one that can be opened. Who named the
    workspace (`is_named`) may well look at one that no hook reports to.
    """
    on_settings, settings = _settings(workspace, env, overrides)
    obstacle = write_obstacle(workspace)
    can_mend = repair and not obstacle
    findings = [
        _library(),
        on_settings,
        *_project(project),
        *_model(workspace, settings, env),
        _told(_file_system, workspace),
        _told(_permissions, workspace, repair),
    ]
    if obstacle:
        findings.append(Finding("writing", False, f"{obstacle}, so nothing can be kept; {WAY_OUT}"))
    else:
        findings += [_told(_locks, workspace, env), _told(_steward, workspace, env)]
    set_aside = _reopen_spool(workspace, env) if can_mend else []
    findings.append(_told(_record, workspace, env, settings, repair, not obstacle))
    if findings[-1].is_fine and env.files.size(workspace.database):
        findings.append(_told(_schema, workspace, env, settings, repair, not obstacle))
    is_needed = can_mend and (has_waiting(workspace.spool, env) or _lost_by(workspace, env))
    memory = None
    if findings[-1].is_fine and (env.files.size(workspace.database) or is_needed):
        try:
            memory = Memory.open(
                workspace.home, env=env, settings=settings, catch_up=can_mend, read_only=bool(obstacle)
            )
        except _EXPECTED as error:
            findings.append(Finding("opening", False, str(error)))
    with memory or nullcontext():
        findings += [_told(_journal, memory)] if memory else []
        findings.append(_told(_spool, workspace, env, set_aside))
        findings += [_told(_queue, memory, can_mend), _told(_user_file, memory)] if memory else []
        findings.append(_told(_hook_errors, workspace, env, memory))
    findings.append(_told(_hooks, workspace, env, project, repair, is_named))
    return findings


# What a check may meet in a workspace that is not well.
_EXPECTED = (ReverieError, OSError, apsw.Error)


def _told(check: Callable[..., Finding], *given: Any) -> Finding:
    """A check that fails is a finding, too: it must not keep the others from being made."""
    try:
        return check(*given)
    except _EXPECTED as error:
        return Finding(check.__name__.strip("_").replace("_", " "), False, f"could not be checked: {error}")


def _settings(workspace: Workspace, env: RealEnv, overrides: Mapping[str, str] | None) -> tuple[Finding, Settings]:
    """Broken settings stop every other command, so it must be here that one sees what is wrong with them."""
    try:
        settings = load_settings(workspace, env, overrides)
    except BadSettings as error:
        return Finding("settings", False, f"{error}; until this is fixed, hooks tell agents nothing"), Settings()
    except OSError as error:
        said = f"cannot read {workspace.settings}: {error.strerror}; check who owns it"
        return Finding("settings", False, said), Settings()
    where = str(workspace.settings) if env.files.size(workspace.settings) else "none of your own; the defaults apply"
    ignored = ignored_settings(workspace, env)
    return Finding("settings", True, f"{where}; {ignored}" if ignored else where), settings


def _project(project: Path) -> list[Finding]:
    is_fine, said = project_finding(project)
    return [Finding("project", is_fine, said)] if said else []


def _model(workspace: Workspace, settings: Settings, env: RealEnv) -> list[Finding]:
    """Only where one is set: without, everything works by rules."""
    if not settings.model.may_be_asked:
        return []
    trouble = model_trouble(steward_health(workspace, env).pulse, settings, env)
    return [Finding("model", not trouble, trouble or f"{settings.model.name}, by {settings.model.provider}")]


def _library() -> Finding:
    try:
        check_library()
    except StoreError as error:
        return Finding("library", False, str(error))
    return Finding("library", True, f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})")


def _file_system(workspace: Workspace) -> Finding:
    kind, best = "unknown", ""
    home = str(workspace.home)
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        mounts = []
    for line in mounts:
        _, point, name, *_ = line.split(" ")
        if f"{home}/".startswith(point.rstrip("/") + "/") and len(point) >= len(best):
            kind, best = name, point
    if kind in _NETWORKED:
        return Finding("file system", False, f"{kind}: locks are not reliable there; set REVERIE_HOME to a local disk")
    megabytes = free_bytes(workspace.home if workspace.home.exists() else Path.home()) // 1_000_000
    return Finding("file system", megabytes >= 100, f"{kind}, {megabytes:,} MB free")


def _permissions(workspace: Workspace, repair: bool) -> Finding:
    """A person may read their own memory, and nobody else on this machine may."""
    if obstacle := read_obstacle(workspace):
        return Finding("permissions", False, f"{obstacle}; {WAY_OUT}")
    inside = [path for path in workspace.home.glob("*") if path.exists() and not path.is_symlink()]
    if closed := [path for path in inside if path.is_file() and not os.access(path, os.R_OK)]:
        return Finding("permissions", False, f"you have no permission to read {closed[0]}; {WAY_OUT}")
    wrong = [
        path
        for path in (workspace.home, *inside)
        if path.exists() and not path.is_symlink() and path.stat().st_mode & 0o077 and _can_be_reached(path)
    ]
    if wrong and repair:
        for path in wrong:
            try:
                path.chmod(path.stat().st_mode & 0o700)
            except PermissionError:
                return Finding("permissions", False, f"others can read {path}, and it is not yours to change")
        return Finding("permissions", True, f"closed {len(wrong)} files to others")
    if wrong:
        return Finding("permissions", False, f"others can read {wrong[0]}; --repair closes it")
    return Finding("permissions", True, "only you can read it")


def _can_be_reached(path: Path) -> bool:
    """Whether somebody else may come as far as a file, whatever it allows itself: a folder on the way may be closed.

    One that a stranger owns is closed to us, not to them.
    """
    ways = [folder.stat() for folder in path.resolve().parents]
    return all(way.st_mode & 0o011 or way.st_uid not in (0, os.geteuid()) for way in ways)


def _locks(workspace: Workspace, env: RealEnv) -> Finding:
    """Locks live in the kernel: one that is held is held by a living process. What can be wrong is who holds it."""
    writers, hooks = workspace.database.with_name("write.lock"), workspace.spool / "lock"
    paths = [
        *([writers] if writers.exists() else []),
        *([hooks] if hooks.is_file() else []),
    ]  # else `spool` tells of it
    for path in paths:
        lock = env.files.lock(path)
        if not lock.acquire(BUSY_TIMEOUT_MS / 1000):
            return Finding("locks", False, f"a process has held {path} for 5 s; `fuser` or `lsof` names it")
        lock.release()
    return Finding("locks", True, "free" if paths else "none yet")


def _steward(workspace: Workspace, env: RealEnv) -> Finding:
    steward = steward_health(workspace, env)
    if steward.troubles:
        return Finding("steward", False, "; ".join(steward.troubles))
    if steward.holder is None:
        return Finding("steward", True, "not running; what is waiting is taken in by whatever opens the memory next")
    said = f"process {steward.holder.pid}, for {age(env.now_ms() - steward.holder.since_ms)}"
    if steward.pulse and steward.pulse.last_error:
        said += f"; last error, now over, at {when(steward.pulse.last_error_ms)}: {steward.pulse.last_error}"
    return Finding("steward", True, said)


def _record(workspace: Workspace, env: RealEnv, settings: Settings, repair: bool, is_writable: bool) -> Finding:
    if obstacle := read_obstacle(workspace):
        return Finding("record", False, f"{obstacle}, so it was not checked; check who owns it")
    if not env.files.size(workspace.database):
        return _missing(workspace, env, settings, repair and is_writable)
    try:
        is_foreign = read_versions(workspace.database, writable=is_writable).is_foreign
    except (apsw.Error, UnicodeDecodeError):
        is_foreign = False  # it cannot even be asked: that is damage
    found = broken_trees(workspace.database, writable=is_writable, is_foreign=is_foreign)
    if not found and not is_foreign:
        try:
            rows = damaged_rows(workspace.database, writable=is_writable)
        except (apsw.Error, UnicodeDecodeError) as error:
            found = [str(error)]
        else:
            if rows:
                return _rows(workspace, env, settings, rows, repair, is_writable)
    if not found:
        looked = "checked as far as this Reverie knows it" if is_foreign else "every row checked"
        return Finding("record", True, f"{env.files.size(workspace.database):,} bytes, {looked}")
    if is_foreign:
        return Finding("record", False, f"damaged: {found[0]}; only the newer Reverie that wrote it can repair it")
    if not repair:
        return Finding("record", False, f"damaged: {found[0]}; --repair saves what can be read")
    if not is_writable:
        return Finding("record", False, f"damaged: {found[0]}; it can only be read here: copy it, and repair the copy")
    return _saved("record", workspace, env, settings)


def _rows(
    workspace: Workspace, env: RealEnv, settings: Settings, damaged: Sequence[Damaged], repair: bool, is_writable: bool
) -> Finding:
    """Rows that hold what cannot stand there, in a file that is whole otherwise: only they have to go."""
    told = "; ".join(it.said for it in damaged[:_SHOWN_ROWS])
    told += f"; and {len(damaged) - _SHOWN_ROWS:,} more" if len(damaged) > _SHOWN_ROWS else ""
    wrong = f"{counted(len(damaged), 'row')} damaged: {told}"
    if not repair:
        return Finding("record", False, f"{wrong}; --repair sets them aside, and derives again what can be derived")
    if not is_writable:
        return Finding("record", False, f"{wrong}; it can only be read here: copy it, and repair the copy")
    try:
        with Memory.open(workspace.home, env=env, settings=settings, catch_up=False) as memory:
            _repair_rows(memory, damaged)
    except ReverieError:  # it is not only the rows
        return _saved("record", workspace, env, settings)
    moved = [it for it in damaged if it.where and it.table not in DERIVED]
    where = f"; {len(moved)} set aside, which `reverie export` shows as the table set_aside" if moved else ""
    return Finding("record", True, f"repaired: {wrong}{where}")


def _repair_rows(memory: Memory, damaged: Sequence[Damaged]) -> None:
    """Set rows aside, and then those that nothing is left of but that they belong to one."""
    must_rebuild = False
    for _ in range(_PASSES):
        must_rebuild |= repair_rows(memory.engine.database, damaged, memory.env.now_ms())
        damaged = damaged_rows(memory.workspace.database)
    if must_rebuild:
        memory.rebuild()


def _missing(workspace: Workspace, env: RealEnv, settings: Settings, can_mend: bool) -> Finding:
    """Before the first event there is no record, and that is well. After it, there was one."""
    sign = _lost_by(workspace, env)
    if sign is None:
        return Finding("record", True, f"none in {workspace.home} yet; the first command that needs one makes it")
    gone = f"{workspace.database} is gone, but {sign.name} is there"
    if sign.name.endswith("-wal"):  # which holds what was written last, and in a young record everything
        if can_mend:
            return _saved("record", workspace, env, settings)
        return Finding("record", False, f"{gone}: put it back from a copy, or --repair saves what the log holds")
    if can_mend:
        return Finding("record", True, f"{gone}: a new one is started")
    return Finding("record", False, f"{gone}: put it back from a copy; without one, --repair starts a new record")


def _lost_by(workspace: Workspace, env: RealEnv) -> Path | None:
    """A file that only a record, or work on one, leaves behind, where the record itself is missing; None if none."""
    if env.files.size(workspace.database):
        return None
    log = workspace.database.with_name(f"{workspace.database.name}-wal")
    others = (workspace.user, workspace.database.with_name("write.lock"), workspace.steward_lock)
    return next((path for path in (log, *others) if path.exists() and (path != log or env.files.size(log))), None)


def _saved(name: str, workspace: Workspace, env: RealEnv, settings: Settings) -> Finding:
    """Carry over what can be read into a new file, and keep the old one."""
    if steward := steward_of(workspace, env):
        return Finding(name, False, f"stop process {steward.pid} first: `reverie down`")
    saved = salvage(workspace.database, env)
    with Memory.open(workspace.home, env=env, settings=settings, catch_up=False) as memory:
        _repair_rows(memory, damaged_rows(workspace.database))
        memory.rebuild()
        skipped = memory.engine.inbox.counts().get("skipped", 0)
    kept = f"{saved.kept['observations']:,} observations kept"
    gone = f", {skipped:,} turns skipped whose observations are gone" if skipped else ""
    return Finding(name, True, f"repaired: {kept}{gone}; the old file is {saved.set_aside.name}")


def _schema(workspace: Workspace, env: RealEnv, settings: Settings, repair: bool, is_writable: bool) -> Finding:
    """The number in the header must be that of the tables: by it we decide what is still to be migrated."""
    versions = read_versions(workspace.database, writable=is_writable)
    said, true, known = versions.said, versions.true, versions.known
    if said == true == known:
        return Finding("schema", True, f"version {said}")
    if said == true:
        way_out = "opening it brings it up to date" if is_writable else "whoever owns it must open it once"
        return Finding("schema", is_writable, f"version {said}, and this Reverie has {known}: {way_out}")
    if versions.is_foreign:
        return Finding(
            "schema",
            False,
            f"version {said}, and this Reverie knows {known}: upgrade Reverie; the file was not touched",
        )
    tables = f"its tables are those of {true}" if true is not None else "its tables are not those of any version"
    wrong = f"the file says version {said}, but {tables}"
    if repair and not is_writable:
        return Finding("schema", False, f"{wrong}; it can only be read here: copy it, and repair the copy")
    if versions.is_behind and true is not None:
        if not repair:
            return Finding("schema", False, f"{wrong}: somebody changed the number; --repair corrects it")
        write_version(workspace.database, true)
        return Finding("schema", True, f"{wrong}: the number was set to {true}")
    if repair:
        return _saved("schema", workspace, env, settings)
    newer = "; if a newer Reverie wrote it, upgrade, otherwise" if said > known else ";"
    return Finding("schema", False, f"{wrong}{newer} --repair carries over what is in it, and keeps this file")


def _user_file(memory: Memory) -> Finding:
    if not memory.is_owner:
        told = f"{memory.owner}'s; what {memory.engine.user} prefers is told from the record"
        return Finding("user.md", True, told)
    obstacle = memory.user_file.obstacle()
    return Finding("user.md", obstacle is None, obstacle or "shows your preferences")


def _journal(memory: Memory) -> Finding:
    mode = memory.engine.database.value("PRAGMA journal_mode")
    log = memory.engine.log_file()
    troubles = [*log.troubles()]
    return Finding("journal", mode == "wal" and not troubles, "; ".join([f"{mode}, {log.bytes:,} bytes", *troubles]))


def _spool(workspace: Workspace, env: RealEnv, set_aside: Sequence[Path]) -> Finding:
    steward = steward_health(workspace, env)
    spool = spool_health(workspace, env, steward)
    details = [f"set aside as {it.name}, because it was in the way of hooks" for it in set_aside]
    details += [spool.trouble] if spool.trouble else []
    if spool.bytes and not spool.trouble:
        since = f", the oldest since {when(spool.oldest_ms)}" if spool.oldest_ms else ""
        taken_in = "the steward takes them in" if steward.holder else "--repair takes them in, and so does any command"
        details.append(f"{spool.bytes:,} bytes are waiting{since}; {taken_in}")
    if count := len(spool.damaged_files):
        where = workspace.spool / "damaged"
        details.append(f"{count} damaged files in {where}, only partly readable; look at them, then delete them")
    return Finding("spool", not spool.trouble and not spool.damaged_files, "; ".join(details) or "empty")


def _reopen_spool(workspace: Workspace, env: RealEnv) -> list[Path]:
    """Let hooks write there again, as far as it is ours to allow. What is in their way is set aside, never deleted."""
    moved = []
    for path, _ in misplaced(workspace):
        aside = path.with_name(f"{path.name}.aside-{env.random_bytes(4).hex()}")
        try:
            env.files.rename(path, aside)
            moved.append(aside)
        except OSError:
            continue
    if not spool_obstacle(workspace):
        return moved
    for path, mode in (
        (workspace.spool, 0o700),
        (workspace.spool / "lock", 0o600),
        (workspace.spool / "current", 0o600),
    ):
        try:
            path.chmod(mode)
        except OSError:
            continue
    return moved


def _queue(memory: Memory, repair: bool) -> Finding:
    if repair:
        memory.distil()
    counts = memory.engine.inbox.counts()
    dead = counts.get("dead", 0)
    detail = f"{counts.get('pending', 0) + counts.get('leased', 0)} waiting, {dead} dead"
    return Finding("queue", not dead, detail + ("; `reverie inbox show` says why, `retry` tries again" if dead else ""))


def _hook_errors(workspace: Workspace, env: RealEnv, memory: Memory | None) -> Finding:
    env.files.read(workspace.hook_errors, follow=False)  # where something else has its name, this check fails
    failed = failures(workspace, env, memory)
    return Finding("hook errors", failed.are_over or not failed.last_ms, "; ".join(failed.said()) or "none")


def _hooks(workspace: Workspace, env: RealEnv, project: Path, repair: bool, is_named: bool) -> Finding:
    refreshed = refresh(env, project) if repair else []
    found = installed(env, project)
    off = capture_off(workspace, env)
    if faults := faulty(env, project):
        return Finding("hooks", False, f"{'; '.join(faults)}; until then, no hook can be added or removed")
    if disabled := [it for it in found if it.state is State.OFF]:
        said = f"off in {disabled[0].path}: {disabled[0].reasons[0]}, so nothing is captured"
        return Finding("hooks", False, f"{said}; {off}" if off else said)
    if bad := [it for it in found if it.state in (State.OUTDATED, State.BROKEN)]:
        said = f"{bad[0].state.value} in {bad[0].path}: {bad[0].reasons[0]}"
        return Finding("hooks", False, f"{said}; `{_renewal(bad[0])}` renews them")
    where = ", ".join(str(it.path) for it in found) or "not installed"
    elsewhere = [reports_elsewhere(it.home, workspace, env, project) for it in found]
    details = [where, *([f"refreshed {len(refreshed)}"] if refreshed else []), *filter(None, [*elsewhere, off])]
    reports_here = not found or not all(elsewhere) or is_named
    return Finding("hooks", reports_here and not (found and off), "; ".join(dict.fromkeys(details)))


def _renewal(it: Installation) -> str:
    """The command that installs the same hooks again, for the workspace that they name."""
    home = f"--home {shlex.quote(it.home)} " if it.home else ""
    flag = {Scope.USER: "", Scope.PROJECT: " --project", Scope.PLUGIN: " --plugin"}[it.scope]
    return f"reverie {home}install claude-code{flag}"
