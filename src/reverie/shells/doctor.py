"""Every check that tells a healthy workspace from a sick one, and the repairs that can be made without asking."""

import os
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.engines.sqlite.database import BUSY_TIMEOUT_MS, check_library, read_migrations
from reverie.engines.sqlite.salvage import damage, salvage
from reverie.env import RealEnv
from reverie.errors import BadSettings, StoreError
from reverie.memory import Memory
from reverie.settings import Settings, load_settings
from reverie.shells.cli.show import age, when
from reverie.shells.health import (
    WAY_OUT,
    failures,
    free_bytes,
    project_finding,
    spool_health,
    spool_obstacle,
    steward_health,
    steward_of,
    write_obstacle,
)
from reverie.shells.install import State, installed, refresh
from reverie.workspace import Workspace

# File systems on which locks or shared memory between processes cannot be relied upon.
_NETWORKED = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "webdav", "davfs")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    is_fine: bool
    detail: str


def examine(workspace: Workspace, env: RealEnv, project: Path, *, repair: bool) -> list[Finding]:
    """Look at everything; with `repair`, mend it and say what was done."""
    on_settings, settings = _settings(workspace, env)
    findings = [_library(), on_settings, *_project(project), _file_system(workspace), _permissions(workspace, repair)]
    if not workspace.database.exists():
        return [*findings, Finding("record", True, f"nothing in {workspace.home} yet")]
    obstacle = write_obstacle(workspace)
    if obstacle:
        findings.append(Finding("writing", False, f"{obstacle}, so that nothing can be kept; {WAY_OUT}"))
    else:
        findings += [_locks(workspace, env), _steward(workspace, env)]
    findings.append(_record(workspace, env, settings, repair, is_writable=not obstacle))
    if findings[-1].is_fine:
        can_mend = repair and not obstacle
        with Memory.open(
            workspace.home, env=env, settings=settings, catch_up=can_mend, read_only=bool(obstacle)
        ) as memory:
            findings += [
                _journal(memory),
                _schema(memory),
                _spool(memory, can_mend),
                _queue(memory, can_mend),
                _hook_errors(memory),
                _user_file(memory),
            ]
    findings.append(_hooks(env, project, repair))
    return findings


def _settings(workspace: Workspace, env: RealEnv) -> tuple[Finding, Settings]:
    """Broken settings stop every other command, so it must be here that one sees what is wrong with them."""
    try:
        settings = load_settings(workspace, env)
    except BadSettings as error:
        return Finding("settings", False, f"{error}; until then hooks tell agents nothing"), Settings()
    where = str(workspace.settings) if env.files.size(workspace.settings) else "none of your own; the defaults hold"
    return Finding("settings", True, where), settings


def _project(project: Path) -> list[Finding]:
    is_fine, said = project_finding(project)
    return [Finding("project", is_fine, said)] if said else []


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
    """Nobody else on this machine may read a person's memory."""
    if workspace.home.exists() and not os.access(workspace.home, os.R_OK | os.X_OK):
        return Finding("permissions", False, f"you may not look into {workspace.home}; {WAY_OUT}")
    wrong = [
        path
        for path in (workspace.home, workspace.spool, *workspace.home.glob("*"))
        if path.exists() and not path.is_symlink() and path.stat().st_mode & 0o077
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


def _locks(workspace: Workspace, env: RealEnv) -> Finding:
    """Locks live in the kernel: one that is held is held by a living process. What can be wrong is who holds it."""
    writer = env.files.lock(workspace.database.with_name("write.lock"))
    if not writer.acquire(BUSY_TIMEOUT_MS / 1000):
        return Finding("locks", False, "a process has held write.lock for 5 s; `fuser` or `lsof` names it")
    writer.release()
    return Finding("locks", True, "free")


def _steward(workspace: Workspace, env: RealEnv) -> Finding:
    steward = steward_health(workspace, env)
    if steward.troubles:
        return Finding("steward", False, "; ".join(steward.troubles))
    if steward.holder is None:
        return Finding("steward", True, "none runs; whoever opens the memory takes in what waits")
    said = f"process {steward.holder.pid}, for {age(env.now_ms() - steward.holder.since_ms)}"
    if steward.pulse and steward.pulse.last_error:
        said += f"; last error, which is over, at {when(steward.pulse.last_error_ms)}: {steward.pulse.last_error}"
    return Finding("steward", True, said)


def _record(workspace: Workspace, env: RealEnv, settings: Settings, repair: bool, *, is_writable: bool) -> Finding:
    found = damage(workspace.database, writable=is_writable)
    if not found:
        return Finding("record", True, f"{env.files.size(workspace.database):,} bytes, every row checked")
    if not repair:
        return Finding("record", False, f"damaged: {found[0]}; --repair saves what can be read")
    if not is_writable:
        return Finding("record", False, f"damaged: {found[0]}; it can only be read here: copy it, and repair that")
    if steward := steward_of(workspace, env):
        return Finding("record", False, f"stop process {steward.pid} first: `reverie down`")
    saved = salvage(workspace.database, env)
    with Memory.open(workspace.home, env=env, settings=settings, catch_up=False) as memory:
        memory.rebuild()
        skipped = memory.engine.inbox.counts().get("skipped", 0)
    kept = f"{saved.kept['observations']:,} observations kept"
    gone = f", {skipped:,} turns skipped whose observations are gone" if skipped else ""
    return Finding("record", True, f"repaired: {kept}{gone}; the damaged file is {saved.set_aside.name}")


def _user_file(memory: Memory) -> Finding:
    obstacle = memory.user_file.obstacle()
    return Finding("user.md", obstacle is None, obstacle or "shows your preferences")


def _journal(memory: Memory) -> Finding:
    mode = memory.engine.database.value("PRAGMA journal_mode")
    wal = memory.engine.database.wal_bytes()
    return Finding("journal", mode == "wal", f"{mode}, {wal:,} bytes")


def _schema(memory: Memory) -> Finding:
    version = memory.engine.database.value("PRAGMA user_version")
    return Finding("schema", version == len(read_migrations()), f"version {version}")


def _spool(memory: Memory, repair: bool) -> Finding:
    workspace, env = memory.workspace, memory.env
    if repair and spool_obstacle(workspace):
        _reopen_spool(workspace)
    steward = steward_health(workspace, env)
    spool = spool_health(workspace, env, steward)
    details = [spool.trouble] if spool.trouble else []
    if spool.bytes and not spool.trouble:
        since = f", the oldest since {when(spool.oldest_ms)}" if spool.oldest_ms else ""
        taken_in = "the steward takes them in" if steward.holder else "--repair takes them in, and so does any command"
        details.append(f"{spool.bytes:,} bytes wait{since}; {taken_in}")
    if count := len(spool.damaged_files):
        where = workspace.spool / "damaged"
        details.append(f"{count} damaged files, of which not all could be read, in {where}: look, then remove")
    return Finding("spool", not spool.trouble and not spool.damaged_files, "; ".join(details) or "empty")


def _reopen_spool(workspace: Workspace) -> None:
    """Let hooks write there again, as far as it is ours to allow."""
    for path, mode in (
        (workspace.spool, 0o700),
        (workspace.spool / "lock", 0o600),
        (workspace.spool / "current", 0o600),
    ):
        try:
            path.chmod(mode)
        except OSError:
            continue


def _queue(memory: Memory, repair: bool) -> Finding:
    if repair:
        memory.distil()
    counts = memory.engine.inbox.counts()
    dead = counts.get("dead", 0)
    detail = f"{counts.get('pending', 0) + counts.get('leased', 0)} waiting, {dead} dead"
    return Finding("queue", not dead, detail + ("; `reverie inbox show` says why, `retry` tries again" if dead else ""))


def _hook_errors(memory: Memory) -> Finding:
    failed = failures(memory)
    return Finding("hook errors", failed.are_over or not failed.last_ms, "; ".join(failed.said()) or "none")


def _hooks(env: RealEnv, project: Path, repair: bool) -> Finding:
    refreshed = refresh(env, project) if repair else []
    found = installed(env, project)
    if off := [it for it in found if it.state is State.OFF]:
        return Finding("hooks", False, f"off in {off[0].path}: {off[0].reasons[0]}, so that nothing is captured")
    bad = [it for it in found if it.state in (State.OUTDATED, State.BROKEN)]
    if bad:
        return Finding(
            "hooks", False, f"{bad[0].state.value} in {bad[0].path}; `reverie install claude-code` renews them"
        )
    where = ", ".join(str(it.path) for it in found) or "not installed"
    return Finding("hooks", True, where + (f"; refreshed {len(refreshed)}" if refreshed else ""))
