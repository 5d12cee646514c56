"""Every check that tells a healthy workspace from a sick one, and the repairs that can be made without asking."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from reverie.capture.drain import has_waiting
from reverie.engines import record_doctor
from reverie.env.real import RealEnv
from reverie.errors import BadSettings, ReverieError
from reverie.foundation.workspace import Workspace
from reverie.memory import Memory
from reverie.ports import RecordDoctor
from reverie.records import CheckResult
from reverie.settings import Settings, load_settings
from reverie.shells.access import WAY_OUT, read_obstacle, write_obstacle
from reverie.shells.cli.show import age, when
from reverie.shells.health import (
    capture_off,
    failures,
    free_bytes,
    ignored_settings,
    misplaced,
    project_finding,
    reports_elsewhere,
    spool_health,
    spool_obstacle,
    steward_health,
    steward_of,
)
from reverie.shells.install import Installation, InstallScope, State, faulty, installed, refresh
from reverie.shells.model_health import model_trouble

# File systems on which locks or shared memory between processes cannot be relied upon.
_NETWORKED = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "webdav", "davfs")
_LOCK_SECONDS = 5.0  # nobody writes for longer at once


def examine(
    workspace: Workspace,
    env: RealEnv,
    project: Path,
    *,
    repair: bool,
    overrides: Mapping[str, str] | None = None,
    is_named: bool = False,
) -> list[CheckResult]:
    """Look at everything; with `repair`, mend it and say what was done.

    Each check is made whatever the others find; only what is in a record needs one that can be opened. Who named the
    workspace (`is_named`) may well look at one that no hook reports to.
    """
    on_settings, settings = _settings(workspace, env, overrides)
    obstacle = write_obstacle(workspace)
    can_mend = repair and not obstacle
    record = _record_doctor(workspace, env, settings, is_writable=not obstacle)
    findings = [
        record.check_library(),
        on_settings,
        *_project(project),
        *_model(workspace, settings, env),
        _told(_file_system, workspace),
        _told(_permissions, workspace, repair),
    ]
    if obstacle:
        findings.append(CheckResult("writing", False, f"{obstacle}, so nothing can be kept; {WAY_OUT}"))
    else:
        findings += [_told(_locks, workspace, env, record), _told(_steward, workspace, env)]
    set_aside = _reopen_spool(workspace, env) if can_mend else []
    findings.append(_told(_record, workspace, record, repair))
    if findings[-1].is_fine and record.has_record():
        findings.append(_told(_schema, record, repair))
    is_needed = can_mend and (has_waiting(workspace.spool, env) or record.is_lost())
    memory = None
    if findings[-1].is_fine and (record.has_record() or is_needed):
        try:
            memory = Memory.open(
                workspace.home, env=env, settings=settings, catch_up=can_mend, read_only=bool(obstacle)
            )
        except _EXPECTED as error:
            findings.append(CheckResult("opening", False, str(error)))
    with memory or nullcontext():
        findings += [_told(_journal, memory)] if memory else []
        findings.append(_told(_spool, workspace, env, set_aside))
        findings += [_told(_queue, memory, can_mend), _told(_user_file, memory)] if memory else []
        findings.append(_told(_hook_errors, workspace, env, memory))
    findings.append(_told(_hooks, workspace, env, project, repair, is_named))
    return findings


# What a check may meet in a workspace that is not well.
_EXPECTED = (ReverieError, OSError)


def _told(check: Callable[..., CheckResult], *given: Any) -> CheckResult:
    """A check that fails is a finding, too: it must not keep the others from being made."""
    try:
        return check(*given)
    except _EXPECTED as error:
        return CheckResult(check.__name__.strip("_").replace("_", " "), False, f"could not be checked: {error}")


def _settings(workspace: Workspace, env: RealEnv, overrides: Mapping[str, str] | None) -> tuple[CheckResult, Settings]:
    """Broken settings stop every other command, so it must be here that one sees what is wrong with them."""
    try:
        settings = load_settings(workspace, env, overrides)
    except BadSettings as error:
        return CheckResult("settings", False, f"{error}; until this is fixed, hooks tell agents nothing"), Settings()
    except OSError as error:
        said = f"cannot read {workspace.settings}: {error.strerror}; check who owns it"
        return CheckResult("settings", False, said), Settings()
    where = str(workspace.settings) if env.files.size(workspace.settings) else "none of your own; the defaults apply"
    ignored = ignored_settings(workspace, env)
    return CheckResult("settings", True, f"{where}; {ignored}" if ignored else where), settings


def _project(project: Path) -> list[CheckResult]:
    is_fine, said = project_finding(project)
    return [CheckResult("project", is_fine, said)] if said else []


def _model(workspace: Workspace, settings: Settings, env: RealEnv) -> list[CheckResult]:
    """Only where one is set: without, everything works by rules."""
    if not settings.model.may_be_asked:
        return []
    trouble = model_trouble(steward_health(workspace, env).pulse, settings, env)
    return [CheckResult("model", not trouble, trouble or f"{settings.model.name}, by {settings.model.provider}")]


def _file_system(workspace: Workspace) -> CheckResult:
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
        return CheckResult(
            "file system", False, f"{kind}: locks are not reliable there; set REVERIE_HOME to a local disk"
        )
    megabytes = free_bytes(workspace.home if workspace.home.exists() else Path.home()) // 1_000_000
    return CheckResult("file system", megabytes >= 100, f"{kind}, {megabytes:,} MB free")


def _permissions(workspace: Workspace, repair: bool) -> CheckResult:
    """A person may read their own memory, and nobody else on this machine may."""
    if obstacle := read_obstacle(workspace):
        return CheckResult("permissions", False, f"{obstacle}; {WAY_OUT}")
    inside = [path for path in workspace.home.glob("*") if path.exists() and not path.is_symlink()]
    if closed := [path for path in inside if path.is_file() and not os.access(path, os.R_OK)]:
        return CheckResult("permissions", False, f"you have no permission to read {closed[0]}; {WAY_OUT}")
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
                return CheckResult("permissions", False, f"others can read {path}, and it is not yours to change")
        return CheckResult("permissions", True, f"closed {len(wrong)} files to others")
    if wrong:
        return CheckResult("permissions", False, f"others can read {wrong[0]}; --repair closes it")
    return CheckResult("permissions", True, "only you can read it")


def _can_be_reached(path: Path) -> bool:
    """Whether somebody else may come as far as a file, whatever it allows itself: a folder on the way may be closed.

    One that a stranger owns is closed to us, not to them.
    """
    ways = [folder.stat() for folder in path.resolve().parents]
    return all(way.st_mode & 0o011 or way.st_uid not in (0, os.geteuid()) for way in ways)


def _locks(workspace: Workspace, env: RealEnv, record: RecordDoctor) -> CheckResult:
    """Report a lock that stays held. Locks live in the kernel: one that is held is held by a living process."""
    hooks = workspace.spool / "lock"
    paths = [path for path in record.lock_files() if path.exists()]
    paths += [hooks] if hooks.is_file() else []  # else `spool` tells of it
    for path in paths:
        lock = env.files.lock(path)
        if not lock.acquire(_LOCK_SECONDS):
            return CheckResult("locks", False, f"a process has held {path} for 5 s; `fuser` or `lsof` names it")
        lock.release()
    return CheckResult("locks", True, "free" if paths else "none yet")


def _steward(workspace: Workspace, env: RealEnv) -> CheckResult:
    steward = steward_health(workspace, env)
    if steward.troubles:
        return CheckResult("steward", False, "; ".join(steward.troubles))
    if steward.holder is None:
        return CheckResult(
            "steward", True, "not running; what is waiting is taken in by whatever opens the memory next"
        )
    said = f"process {steward.holder.pid}, for {age(env.now_ms() - steward.holder.since_ms)}"
    if steward.pulse and steward.pulse.last_error:
        said += f"; last error, now over, at {when(steward.pulse.last_error_ms)}: {steward.pulse.last_error}"
    return CheckResult("steward", True, said)


def _record_doctor(workspace: Workspace, env: RealEnv, settings: Settings, *, is_writable: bool) -> RecordDoctor:
    def rebuild() -> int:
        with Memory.open(workspace.home, env=env, settings=settings, catch_up=False) as memory:
            memory.rebuild()
            return memory.engine.inbox.counts().get("skipped", 0)

    steward = steward_of(workspace, env)
    return record_doctor(
        workspace.home,
        env,
        is_writable=is_writable,
        rebuild=rebuild,
        in_use=f"stop process {steward.pid} first: `reverie down`" if steward else "",
        traces=(workspace.user, workspace.steward_lock),
    )


def _record(workspace: Workspace, record: RecordDoctor, repair: bool) -> CheckResult:
    if obstacle := read_obstacle(workspace):
        return CheckResult("record", False, f"{obstacle}, so it was not checked; check who owns it")
    return record.check_record(repair=repair)


def _schema(record: RecordDoctor, repair: bool) -> CheckResult:
    return record.check_schema(repair=repair)


def _user_file(memory: Memory) -> CheckResult:
    if not memory.parts.profile.is_owner:
        told = f"{memory.parts.profile.owner}'s; what {memory.engine.user} prefers is told from the record"
        return CheckResult("user.md", True, told)
    obstacle = memory.parts.profile.user_file.obstacle()
    return CheckResult("user.md", obstacle is None, obstacle or "shows your preferences")


def _journal(memory: Memory) -> CheckResult:
    log = memory.engine.log_file()
    troubles = [*log.troubles()]
    return CheckResult(
        "journal", log.is_kept and not troubles, "; ".join([f"{log.mode}, {log.bytes:,} bytes", *troubles])
    )


def _spool(workspace: Workspace, env: RealEnv, set_aside: Sequence[Path]) -> CheckResult:
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
    return CheckResult("spool", not spool.trouble and not spool.damaged_files, "; ".join(details) or "empty")


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


def _queue(memory: Memory, repair: bool) -> CheckResult:
    if repair:
        memory.parts.background.distil()
    counts = memory.engine.inbox.counts()
    dead = counts.get("dead", 0)
    detail = f"{counts.get('pending', 0) + counts.get('leased', 0)} waiting, {dead} dead"
    return CheckResult(
        "queue", not dead, detail + ("; `reverie admin inbox list` says why, `retry` tries again" if dead else "")
    )


def _hook_errors(workspace: Workspace, env: RealEnv, memory: Memory | None) -> CheckResult:
    env.files.read(workspace.hook_errors, follow=False)  # where something else has its name, this check fails
    failed = failures(workspace, env, memory)
    return CheckResult("hook errors", failed.are_over or not failed.last_ms, "; ".join(failed.said()) or "none")


def _hooks(workspace: Workspace, env: RealEnv, project: Path, repair: bool, is_named: bool) -> CheckResult:
    refreshed = refresh(env, project) if repair else []
    found = installed(env, project)
    off = capture_off(workspace, env)
    if faults := faulty(env, project):
        return CheckResult("hooks", False, f"{'; '.join(faults)}; until then, no hook can be added or removed")
    if disabled := [it for it in found if it.state is State.OFF]:
        said = f"off in {disabled[0].path}: {disabled[0].reasons[0]}, so nothing is captured"
        return CheckResult("hooks", False, f"{said}; {off}" if off else said)
    if bad := [it for it in found if it.state in (State.OUTDATED, State.BROKEN)]:
        said = f"{bad[0].state.value} in {bad[0].path}: {bad[0].reasons[0]}"
        return CheckResult("hooks", False, f"{said}; `{_renewal(bad[0])}` renews them")
    where = ", ".join(str(it.path) for it in found) or "not installed"
    elsewhere = [reports_elsewhere(it.home, workspace, env, project) for it in found]
    details = [where, *([f"refreshed {len(refreshed)}"] if refreshed else []), *filter(None, [*elsewhere, off])]
    reports_here = not found or not all(elsewhere) or is_named
    return CheckResult("hooks", reports_here and not (found and off), "; ".join(dict.fromkeys(details)))


def _renewal(it: Installation) -> str:
    """The command that installs the same hooks again, for the workspace that they name."""
    home = f"--home {shlex.quote(it.home)} " if it.home else ""
    flag = {InstallScope.USER: "", InstallScope.PROJECT: " --project", InstallScope.PLUGIN: " --plugin"}[it.scope]
    return f"reverie {home}install claude-code{flag}"
