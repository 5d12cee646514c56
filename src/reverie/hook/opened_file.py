"""Read which file an agent is about to open: one event in, who asks about which file out. Nothing is kept of it.

Runs in the hook process, after capture_event.py has been loaded.
"""

import posix

from reverie.hook.capture_event import (
    CUT_ABOVE,
    PROJECT_VARIABLE,
    Seen,
    absolute,
    default_home,
    fill_standard_streams,
    first_value,
    folder_of,
    read_stdin,
)
from reverie.hook.locate import find_project, find_workspace
from reverie.hook.opt_out import is_off


def look_at(event: str, home: str) -> "Seen | None":
    """Read an event that asks and is not kept: which file an agent is about to open. None if nobody wants to be told.

    What the tool did is kept when it is done.
    """
    fill_standard_streams()
    raw, size, _ = read_stdin()
    value = first_value(raw)[0] if size <= CUT_ABOVE else None
    given = value.get("tool_input") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(given, dict):
        return None
    path = next((it for name in ("file_path", "notebook_path", "path") if isinstance(it := given.get(name), str)), "")
    folder = folder_of(value.get("cwd"))
    begun_in = folder_of(posix.environ.get(PROJECT_VARIABLE, b"").decode("utf-8", "surrogateescape"), folder)
    project = find_project(folder)
    home = absolute(home) if home else find_workspace(begun_in, default_home())[0]
    if not path or is_off(project, home) or (begun_in != folder and is_off(find_project(begun_in), home)):
        return None
    seen = Seen(event, home, project, value)
    seen.path = path if path[:1] == "/" else f"{folder.rstrip('/')}/{path}"
    return seen
