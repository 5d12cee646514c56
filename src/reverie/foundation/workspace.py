"""Find the folder of a person's workspace, and the files in it."""

from dataclasses import dataclass
from pathlib import Path

from reverie.errors import BadInput, BadSettings
from reverie.foundation.text import whole_letters
from reverie.hook import locate
from reverie.ports import Env

LOG_BYTES = 1_000_000  # a longer log is set aside, and the one before it goes
LOCAL_FOLDER = locate.FOLDER
PROJECT_FILE = locate.PROJECT_FILE
# A unix socket's address holds 108 bytes on Linux and 104 on macOS, whatever the path.
_LONGEST_SOCKET_PATH = 100


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that holds everything Reverie keeps, and the names in it."""

    home: Path

    @property
    def settings(self) -> Path:
        return self.home / "reverie.toml"

    @property
    def spool(self) -> Path:
        return self.home / "spool"

    @property
    def steward_lock(self) -> Path:
        return self.home / "steward.lock"

    @property
    def pulse(self) -> Path:
        """The steward's sign of life."""
        return self.home / "steward.pulse"

    @property
    def hook_errors(self) -> Path:
        return self.home / "hook-errors.log"

    @property
    def daemon_log(self) -> Path:
        return self.home / "steward.log"

    @property
    def soul(self) -> Path:
        return self.home / "soul.md"

    @property
    def user(self) -> Path:
        return self.home / "user.md"

    @property
    def socket(self) -> Path | None:
        """The steward's socket; None when the home's path is too long for one: hooks then read for themselves."""
        inside = self.home / "steward.sock"
        return inside if len(str(inside).encode()) <= _LONGEST_SOCKET_PATH else None


def user_home(env: Env) -> Path:
    """The person's home folder, whatever HOME says."""
    try:
        return Path(locate.user_home(env.variable("HOME")))
    except KeyError:
        raise BadSettings("HOME is not set, and the system knows no home folder of yours; set REVERIE_HOME") from None


def personal_home(env: Env) -> Path:
    """The workspace in the person's home folder."""
    return user_home(env) / LOCAL_FOLDER


def find_home(env: Env, start: Path) -> Path:
    """REVERIE_HOME, else the local workspace that `admin init` made here or above in the project, else `~/.reverie`.

    A hook decides in the same way, by the same function.
    """
    if named := env.variable("REVERIE_HOME"):
        return expanded(named, env)
    return Path(locate.find_workspace(str(start), str(personal_home(env)))[0])


def ignored_workspace(env: Env, start: Path) -> Path | None:
    """A local workspace that is here, but does not count because this person has not asked for it."""
    if env.variable("REVERIE_HOME"):
        return None
    ignored = locate.find_workspace(str(start), str(personal_home(env)))[1]
    return Path(ignored) if ignored else None


def register(home: Path, env: Env) -> None:
    """From now on this local workspace counts for this person: the same token here and on their list."""
    personal = personal_home(env)
    if home == personal or locate.is_registered(str(home), str(personal)):
        return
    token = env.random_bytes(16).hex()
    env.files.make_folder(personal)
    env.files.append(personal / locate.LIST, f"{token} {home}\n".encode("utf-8", "surrogateescape"))
    env.files.replace(home / locate.TOKEN, f"{token}\n".encode())


def expanded(path: str, env: Env) -> Path:
    """An absolute path of what a person wrote, with ~ for their home folder."""
    if path == "~" or path.startswith("~/"):
        return user_home(env) / path[2:]
    return Path(path).absolute()


def path_in(address: str) -> Path:
    """The path in a file:// address of this machine."""
    from urllib.parse import unquote

    host, slash, path = address.removeprefix("file://").partition("/")
    if host.lower() not in ("", "localhost"):
        way_out = "write file:///path, with three slashes, or the path alone"
        raise BadInput(f"{address!r} names the machine {host!r}, and a memory is opened on this one; {way_out}")
    if not slash:
        raise BadInput(f"{address!r} names no folder; write file:///path, or the path alone")
    # A name that is no UTF-8 stays what it is, for `check_name` to refuse: another would be another folder.
    return Path(unquote(slash + path, errors="surrogateescape"))


def find_project(start: Path) -> Path:
    """The git root above a folder (or a folder with a project file); the folder itself if there is none."""
    return Path(locate.find_project(str(start)))


def check_name(home: Path) -> None:
    """Refuse a workspace in a folder whose name is not UTF-8: the record cannot be opened there."""
    if str(home) != (shown := whole_letters(str(home))):
        why = "the name of that folder is not UTF-8, and no record can be opened there"
        raise BadInput(f"no workspace can be in {shown}: {why}; rename it, or name another with --home or REVERIE_HOME")


def shorten(log: Path, env: Env) -> bool:
    """Set a long log aside; the one set aside before goes. A process that has it open keeps appending to it."""
    if env.files.size(log) <= LOG_BYTES:
        return False
    env.files.rename(log, log.with_name(f"{log.name}.1"))
    return True
