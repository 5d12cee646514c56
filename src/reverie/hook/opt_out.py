"""Whether a project, or the whole workspace, has opted out: for hooks, callbacks and imports, and for what reports it.

Runs in the hook process too, so it imports nothing that is not there already.
"""

import posix

from reverie.hook.locate import PROJECT_FILE, read_text

VARIABLE = "REVERIE_PROJECT_ENABLED"


def is_off(project: str, home: str) -> bool:
    """Whether nothing of this project is captured or told, by files and by what this process was started with."""
    variable = posix.environ.get(VARIABLE.encode(), b"").decode("utf-8", "replace")
    return opted_out_by(project, home, variable) != ""


def opted_out_by(project: str, home: str = "", variable: str = "") -> str:
    """Return what opts out a project or the whole workspace: a file with `[project] enabled = false`, or the variable.

    "" if nothing does. The nearest project file that says something decides, so a worktree or a repository inside a
    project that opted out is out, too. A file that cannot be read as TOML opts out as soon as it looks as if it wanted
    to. The variable wins over the workspace's file, never over a project that wants out.
    """
    here = project.rstrip("/")
    while True:
        path = f"{here}/{PROJECT_FILE}"
        if (answer := wants_out(read_text(path), is_own=True)) is not None:
            if answer:
                return path
            break
        if not here:
            break
        here = here.rpartition("/")[0]
    return switched_off_by(home, variable) if home else ""


def switched_off_by(home: str, variable: str) -> str:
    """Return what switches capture off for the whole workspace: the variable if it is set, else the file."""
    if variable.strip():  # whoever writes anything but yes does not want to be in
        return "" if variable.strip().lower() in ("true", "1", "yes") else VARIABLE
    path = home + "/reverie.toml"
    return path if wants_out(read_text(path)) else ""


def wants_out(text: str, *, is_own: bool = False) -> bool | None:
    """Read whether a settings file opts out; None if it says nothing. A project's own file has no other subject.

    >>> wants_out("[project]\\nenabled = false  # please"), wants_out("project = {enabled = true}"), wants_out("")
    (True, False, None)
    """
    text = text.lstrip("\ufeff")
    lines = [line for whole in text.split("\n") if (line := whole.partition("#")[0].strip(" \t\r\0"))]
    words = "\n".join(lines).lower().replace("\0", "")  # NUL: every second byte of UTF-16 is one
    # A key may also be spelt in escapes, such as "\u0070roject".
    if not ("project" in words or "\\u" in words or (is_own and ("enabled" in words or "false" in words))):
        return None
    # Only the plain form is read here. What TOML allows beyond it takes its own parser, which takes as long to load as
    # all the rest of a hook.
    section, answer = "", None
    for line in lines:
        setting = line.replace(" ", "").replace("\t", "")
        if line == "[project]" and not section:
            section = line
        elif section and answer is None and setting in ("enabled=false", "enabled=true"):
            answer = setting == "enabled=false"
        else:
            return _wants_out_by_toml(text, words, is_own)
    return answer


def _wants_out_by_toml(text: str, words: str, is_own: bool) -> bool | None:
    try:
        from tomllib import loads

        table: dict[str, object] = loads(text)
    except (ValueError, RecursionError, ImportError):
        return _looks_like_wanting_out(words, is_own)
    said = table if is_own else {name: value for name, value in table.items() if name.lower() == "project"}
    # There is nothing else here that could be false: who misspells it wants out all the same. And who writes
    # `enabled = "no"` does not want to be in.
    answer, inside = None, list(said.items())
    while inside:
        name, value = inside.pop()
        if isinstance(value, dict):
            inside += value.items()
        elif isinstance(value, list):
            inside += [(name, one) for one in value]
        elif value is False or (name.lower() == "enabled" and value is not True):
            return True
        elif name.lower() == "enabled":
            answer = False
    return answer


def _looks_like_wanting_out(words: str, is_own: bool) -> bool | None:
    """Of what is no TOML. The workspace's file has other settings that may be false, so there the section counts."""
    if is_own:
        return True if "false" in words or ("enabled" in words and "true" not in words) else None
    section = ""
    for line in words.replace(" ", "").replace("\t", "").split("\n"):
        if line[:1] == "[":
            section = line
        elif (section == "[project]" or line[:8] == "project.") and line[-6:] == "=false":
            return True
    return None
