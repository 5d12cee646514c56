"""Find the project and the workspace that a folder belongs to: one answer, for hooks and for everybody else.

A workspace inside a project is a folder that anybody may have put there: a repository can carry one, with a soul.md
that tells the agent whatever its author likes. So it counts only where this person asked for it. `admin init` puts
the same random token into the folder and into the person's own list, and the folder must be theirs.

Runs in the hook process too, so it imports only C modules.
"""

import posix

FOLDER = ".reverie"
PROJECT_FILE = ".reverie.toml"
RECORD = "reverie.db"  # the file by which a workspace is known; what is in it, engines/ knows
TOKEN = "token"  # noqa: S105 — the name of the file in a local workspace
LIST = "local-workspaces"  # in the personal one: a token and a path per line; the path is for people
_TOKEN_CHARS = 32
_NO_FILE = (21, 6, 40, 62)  # EISDIR, ENXIO (a pipe without a reader, a socket), ELOOP (a link) on Linux and on macOS
_NOT_REGULAR = "it is not a regular file but a link, a pipe, a device or a folder; put it elsewhere"


def user_home(variable: str | None) -> str:
    """The person's home folder: HOME if it can be one, else what the system says. KeyError if it says nothing."""
    if variable and variable[0] == "/":
        return variable.rstrip("/") or "/"
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir


def personal(variable: str | None) -> str:
    """The workspace in the person's home folder."""
    return user_home(variable).rstrip("/") + "/" + FOLDER


def find_project(folder: str) -> str:
    """The git root above a folder, or a folder with a project file; the folder itself if there is none."""
    return next((here for here, is_root in _upwards(folder) if is_root), folder)


def find_workspace(folder: str, personal: str) -> tuple[str, str]:
    """The workspace for a folder, and the nearest one that was passed over because nobody asked for it ("" if none).

    Local ones are looked for from the folder up to its project's root, and no further: what lies above a repository
    belongs to something else.
    """
    ignored = ""
    for here, is_root in _upwards(folder):
        local = f"{here.rstrip('/')}/{FOLDER}"
        if local != personal and exists(f"{local}/{RECORD}"):
            if is_registered(local, personal):
                return local, ignored
            ignored = ignored or local
        if is_root:
            break
    return personal, ignored


def _upwards(folder: str) -> list[tuple[str, bool]]:
    """The folder and those above it, up to the project's root, each with whether it is that root."""
    found = []
    here = folder.rstrip("/") or "/"
    while True:
        base = here.rstrip("/")
        is_root = exists(base + "/.git") or exists(f"{base}/{PROJECT_FILE}")
        found.append((here, is_root))
        if is_root or not base:
            return found
        here = base.rpartition("/")[0] or "/"


def is_registered(local: str, personal: str) -> bool:
    """Whether the person asked for this workspace: a real folder of theirs, with a token that is on their list."""
    try:
        status = posix.lstat(local)
    except (OSError, ValueError):
        return False
    if status.st_mode & 0o170000 != 0o040000 or status.st_uid != posix.geteuid():
        return False
    # Not through a link, which could lead to the token of another workspace.
    token = read_text(f"{local}/{TOKEN}", posix.O_NOFOLLOW).strip()
    listed = [line.partition(" ")[0] for line in read_text(f"{personal}/{LIST}").splitlines()]
    return len(token) == _TOKEN_CHARS and token in listed


def exists(path: str) -> bool:
    try:
        posix.stat(path)
    except (OSError, ValueError):  # ValueError: an event may name a folder that cannot be one
        return False
    return True


class NotAFile(OSError):
    """Something else has the name of a file of ours: a link, a pipe, a device, a folder. It is left alone."""


def open_file(path: str, flags: int, follow: bool = False) -> int:
    """Open a file of ours: not through a link, and without waiting for whoever is at the other end of a pipe."""
    flags |= posix.O_NONBLOCK | posix.O_CLOEXEC | (0 if follow else posix.O_NOFOLLOW)
    try:
        file = posix.open(path, flags, 0o600)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise NotAFile(error.errno, _NOT_REGULAR, path) from None
        raise
    if posix.fstat(file).st_mode & 0o170000 != 0o100000:
        posix.close(file)
        raise NotAFile(_NO_FILE[0], _NOT_REGULAR, path)
    return file


def read_text(path: str, flags: int = 0) -> str:
    """The start of a small file; "" where there is none."""
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK | flags)
    except (OSError, ValueError):
        return ""
    try:
        return posix.read(file, 100_000).decode("utf-8", "replace")
    except OSError:  # a folder, perhaps
        return ""
    finally:
        posix.close(file)
