"""Where things lie: one folder per person, and how it is found."""

from dataclasses import dataclass
from pathlib import Path

from reverie.ports import Env

LOCAL_FOLDER = ".reverie"
PROJECT_FILE = ".reverie.toml"
# A unix socket's address holds 108 bytes on Linux and 104 on macOS, whatever the path.
_LONGEST_SOCKET_PATH = 100


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that holds everything Reverie keeps, and the names in it."""

    home: Path

    @property
    def database(self) -> Path:
        return self.home / "reverie.db"

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
    def hook_settings(self) -> Path:
        return self.home / "hook.conf"

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


def find_home(env: Env, start: Path) -> Path:
    """REVERIE_HOME, else a `.reverie` folder here or above, else `~/.reverie`."""
    if named := env.variable("REVERIE_HOME"):
        return Path(named).expanduser().absolute()
    personal = Path(env.variable("HOME") or "~").expanduser() / LOCAL_FOLDER
    for folder in (start, *start.parents):
        if (folder / LOCAL_FOLDER / "reverie.db").is_file():
            return folder / LOCAL_FOLDER
    return personal


def find_project(start: Path) -> Path:
    """The git root above a folder (or a folder with a project file); the folder itself if there is none."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists() or (folder / PROJECT_FILE).is_file():
            return folder
    return start
