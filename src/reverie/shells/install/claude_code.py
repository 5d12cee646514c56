"""Claude Code's settings: put our hooks in, renew them, take them out again.

The functions here only plan; `files.apply` makes the change. An entry is ours if it runs our launcher, with whatever
interpreter.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reverie.errors import BadSettings
from reverie.foundation.workspace import user_home
from reverie.ports import Env
from reverie.records import JSON
from reverie.shells.install import jsontext
from reverie.shells.install.entries import (
    EVENTS,
    MATCHERS,
    command_of,
    group_of,
    home_in,
    hook_entries,
    is_current,
    is_ours,
)
from reverie.shells.install.files import Plan
from reverie.shells.install.jsontext import Node, Style

_MATCHES_ALL = (None, "", "*", ".*")


class InstallScope(StrEnum):
    """The sessions that are captured: all of a person's, those in one project, or by way of the client's plug-ins."""

    USER = "user"
    PROJECT = "project"
    PLUGIN = "plug-in"


# ---- where settings lie


def settings_path(scope: InstallScope, env: Env, project: Path) -> Path:
    """The file that is written to. A project's is the local one, for its entries hold paths of this machine."""
    if scope is InstallScope.PROJECT:
        return project / ".claude" / "settings.local.json"
    return client_folder(env) / "settings.json"


def client_folder(env: Env) -> Path:
    if named := env.variable("CLAUDE_CONFIG_DIR"):
        return Path(named).expanduser().absolute()
    return user_home(env) / ".claude"


def settings_paths(scope: InstallScope, env: Env, project: Path) -> list[Path]:
    """Every file of this scope that the client reads hooks from."""
    if scope is InstallScope.PROJECT:
        return [project / ".claude" / "settings.json", project / ".claude" / "settings.local.json"]
    return [client_folder(env) / "settings.json"]


# ---- install and uninstall


def plan_install(path: Path, env: Env, home: str = "") -> Plan:
    """Put our entries into a settings file, or renew those that are there. Nothing else in it changes."""
    return _plan(path, _read(path, env), lambda text: _installed_text(text, hook_entries(home)))


def plan_uninstall(path: Path, env: Env) -> Plan:
    """Take our entries out of a settings file, and what was made for them: keys, and the file itself."""
    return _plan(path, _read(path, env), _uninstalled_text)


def plan_refresh(path: Path, env: Env) -> Plan:
    """Renew our entries where there are any, for the workspace that they already name."""
    before = _read(path, env)
    if not (commands := our_commands(path, env)):
        return Plan(path, before, before)
    return _plan(path, before, lambda text: _installed_text(text, hook_entries(home_in(commands[0]))))


def find_outdated(path: Path, env: Env) -> list[str]:
    """List what `plan_refresh` would change in a settings file; nothing where none of it is ours."""
    return list(plan_refresh(path, env).changes)


def our_commands(path: Path, env: Env) -> list[str]:
    """The commands of our entries in a settings file; none where the file cannot be read."""
    try:
        text = (_read(path, env) or b"").decode().removeprefix("\ufeff")
        return [entry.command for entry in _ours(text, _root(text))] if text.strip() else []
    except _WRONG:
        return []


def fault_in(path: Path, env: Env) -> str:
    """Say what is wrong with a settings file, and the way out; "" if it can be used, or is not there."""
    try:
        data = _read(path, env)
    except BadSettings as error:
        return f"{error}; check who owns it"
    try:
        text = (data or b"").decode().removeprefix("\ufeff")
        if text.strip():
            list(_ours(text, _root(text)))
    except _WRONG as error:
        return f"{_described(path, error)}: repair it by hand"
    return ""


_Edited = tuple[str | None, list[str]]


def _plan(path: Path, before: bytes | None, edit: Callable[[str | None], _Edited]) -> Plan:
    """A file's bytes through an edit of its text. A byte order mark stays outside."""
    try:
        text = (before or b"").decode()
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        body = text.removeprefix(mark)
        # An empty file holds nothing that could be kept, so it is as good as none.
        after, changes = edit(body if body.strip() else None)
    except _WRONG as error:
        raise BadSettings(f"{_described(path, error)}; it was left as it is: repair it first") from error
    if not changes:
        return Plan(path, before, before)
    return Plan(path, before, None if after is None else (mark + after).encode(), tuple(changes))


def _read(path: Path, env: Env) -> bytes | None:
    try:
        return env.files.read(path)
    except OSError as error:
        raise BadSettings(f"cannot read {path}: {error.strerror}") from error


# What comes of a settings file that is no settings file.
_WRONG = (ValueError, RecursionError, BadSettings)


def _described(path: Path, error: Exception) -> str:
    if isinstance(error, BadSettings):
        return f"{path}: {error}"
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not UTF-8 ({error.reason})"
    return f"{path} is not valid JSON ({error})"


def _installed_text(text: str | None, wanted: dict[str, JSON]) -> _Edited:
    """One edit at a time, until nothing is left to change."""
    changes: list[str] = []
    while True:
        if text is None:
            fresh: JSON = {"hooks": {event: [group_of(event, entry)] for event, entry in wanted.items()}}
            return jsontext.render(fresh, Style()) + "\n", changes + [f"add a hook for {event}" for event in wanted]
        root = _root(text)
        step = _misplaced(text, root, wanted) or _changed(text, root, wanted) or _missing(text, root, wanted)
        if step is None:
            return text, changes
        text, new = step
        changes += new


def _uninstalled_text(text: str | None) -> _Edited:
    changes: list[str] = []
    while text is not None:
        root = _root(text)
        entry = next(_ours(text, root), None)
        if entry is None:
            break
        text = jsontext.removed(text, root, entry.path)
        changes.append(f"remove the hook for {entry.event}")
    return text, changes


# ---- the single edits


def _misplaced(text: str, root: Node, wanted: dict[str, JSON]) -> _Edited | None:
    """Without the first entry of ours that is one too many, or where it does not see everything."""
    seen: set[str] = set()
    for entry in _ours(text, root):
        if entry.event in seen or entry.event not in wanted or not entry.is_matched:
            return jsontext.removed(text, root, entry.path), [f"remove the misplaced hook for {entry.event}"]
        seen.add(entry.event)
    return None


def _changed(text: str, root: Node, wanted: dict[str, JSON]) -> _Edited | None:
    """With the first entry of ours renewed that is not what we would write today."""
    style = jsontext.style_of(text, root)
    for entry in _ours(text, root):
        if not is_current(entry.value, wanted[entry.event]):
            node = jsontext.at(root, entry.hook_path)
            piece = jsontext.render(wanted[entry.event], style, depth=5)
            return jsontext.replaced(text, node, piece), [f"renew the hook for {entry.event}"]
    return None


def _missing(text: str, root: Node, wanted: dict[str, JSON]) -> _Edited | None:
    """With the first missing entry added; all of them, where there are no hooks yet."""
    style = jsontext.style_of(text, root)
    there = {entry.event for entry in _ours(text, root)}
    if (hooks := root.last("hooks")) < 0:
        events: dict[str, JSON] = {event: [group_of(event, entry)] for event, entry in wanted.items()}
        piece = jsontext.member("hooks", events, style, depth=1)
        return jsontext.inserted(text, root, piece, style, 1), [f"add a hook for {event}" for event in wanted]
    for event in wanted:
        if event in there:
            continue
        container = root.members[hooks].node
        if (index := container.last(event)) < 0:
            piece = jsontext.member(event, [group_of(event, wanted[event])], style, depth=2)
            return jsontext.inserted(text, container, piece, style, 2), [f"add a hook for {event}"]
        piece = jsontext.render(group_of(event, wanted[event]), style, depth=3)
        return jsontext.inserted(text, container.members[index].node, piece, style, 3), [f"add a hook for {event}"]
    return None


# ---- our entries in a settings file


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of ours. `path` is what to remove: the whole group of hooks, if it holds nothing else."""

    event: str
    value: JSON
    command: str
    path: tuple[int, ...]
    hook_path: tuple[int, ...]
    is_matched: bool


def _root(text: str) -> Node:
    """The file's object, checked as far as we are going to write to it."""
    root = jsontext.parse(text)
    if text[root.start] != "{":
        raise BadSettings("the settings are not an object")
    if (index := root.last("hooks")) >= 0:
        hooks = root.members[index].node
        if text[hooks.start] != "{":
            raise BadSettings('the value of "hooks" is not an object')
        for member in hooks.members:
            if member.key in EVENTS and text[member.node.start] != "[":
                raise BadSettings(f'the value of "{member.key}" in "hooks" is not a list')
    return root


def _ours(text: str, root: Node) -> Iterator[_Entry]:
    if (hooks := root.last("hooks")) < 0:
        return
    for number, member in enumerate(root.members[hooks].node.members):
        groups = member.node.members if text[member.node.start] == "[" else ()
        for place, group in enumerate(groups):
            path = (hooks, number, place)
            inner = group.node.last("hooks")
            if inner < 0 or text[group.node.members[inner].node.start] != "[":
                continue
            fields = json.loads(text[group.node.start : group.node.end])
            entries = group.node.members[inner].node.members
            for index, value in enumerate(fields["hooks"]):
                command = command_of(value)
                if is_ours(command):
                    own = (*path, inner, index)
                    whole = path if len(entries) == 1 else own
                    is_matched = _is_matched(str(member.key), fields.get("matcher"))
                    yield _Entry(str(member.key), value, command, whole, own, is_matched)


def _is_matched(event: str, matcher: JSON) -> bool:
    """Whether an entry is run at all that it should see, and at nothing else."""
    return matcher == MATCHERS[event] if event in MATCHERS else matcher in _MATCHES_ALL
