"""A TOML file, then environment variables, then arguments -> settings.

A variable is named after its place: `[model] daily_dollars` is `REVERIE_MODEL_DAILY_DOLLARS`. An unknown key, or a
variable that begins with one of our sections or nearly is one of ours, is an error that names the nearest: a misspelt
limit is worse than none.
"""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from reverie.errors import BadSettings
from reverie.foundation.workspace import Workspace
from reverie.ports import Env
from reverie.settings.removed import REMOVED
from reverie.settings.values import Knob, ProjectSettings, Settings, knobs, variable_of


def load_settings(
    workspace: Workspace, env: Env, overrides: Mapping[str, str] | None = None, *, in_hook: bool = False
) -> Settings:
    """Settings for a workspace: its file, then REVERIE_… variables, then `section.key` overrides.

    A hook passes over variables that are no settings: it must not fail because of what stands in an agent's shell.
    """
    data = env.files.read(workspace.settings)
    settings = parse_settings(data.decode("utf-8", "replace"), str(workspace.settings)) if data else Settings()
    for knob in knobs().values():
        if (text := env.variable(knob.variable)) is not None:
            settings = _set(settings, knob, _from_text(text, knob, knob.variable))
    if not in_hook:
        _check_variables(env)
    for path, text in (overrides or {}).items():
        if path in REMOVED:
            continue
        knob = _knob(path, "the arguments")
        settings = _set(settings, knob, _from_text(text, knob, path))
    return settings


def read_overrides(pairs: Sequence[str]) -> dict[str, str]:
    """Arguments of the form SECTION.KEY=VALUE, by setting. Of two for the same one the last counts.

    >>> read_overrides(["model.daily_dollars=0.5", "user=ana"])
    {'model.daily_dollars': '0.5', 'user': 'ana'}
    """
    found = {}
    for pair in pairs:
        path, equals, text = pair.partition("=")
        if not equals or not path.strip():
            raise BadSettings(f"--set takes SECTION.KEY=VALUE, such as model.daily_dollars=0.5, not {pair!r}")
        if path.strip() in REMOVED:
            continue
        knob = _knob(path.strip(), "the arguments")
        _from_text(text.strip(), knob, knob.path)
        found[knob.path] = text.strip()
    return found


# What begins like a setting's variable and is none: where the workspace is, and what our benchmarks and tests read.
_OTHER_VARIABLES = ("REVERIE_HOME", "REVERIE_DATA", "REVERIE_SNAPSHOTS")

# By Kubernetes, for each service whose name begins with ours, and for one that has our name.
_SET_BY_OTHERS = re.compile(
    r"REVERIE(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_[A-Z0-9_]+)?)"
)
# Of all letters, how many must be shared: with 0.75 a forgotten section or unit is seen (REVERIE_DAILY_DOLLARS is 0.81,
# REVERIE_MODEL_TIMEOUT 0.76), and a stranger's REVERIE_DB_USER (0.73) is not taken for REVERIE_USER.
_NEARLY = 0.75


def ignored_variables(env: Env) -> list[str]:
    """Return the variables with our name that are no settings, and too far from any to be one misspelt."""
    return [name for name in _strangers(env) if not _is_meant(name)]


def removed_settings(workspace: Workspace, env: Env) -> list[str]:
    """Return the settings that the file or a variable names, and that no longer are any."""
    data = env.files.read(workspace.settings) or b""
    named = {path for path, _ in _leaves(data.decode("utf-8", "replace"), str(workspace.settings))}
    variables = {path for path in REMOVED if env.variable(variable_of(path)) is not None}
    return sorted(REMOVED.keys() & (named | variables))


def _check_variables(env: Env) -> None:
    for name in _strangers(env):
        if _is_meant(name):
            known = _of_section(name) or _known_variables()
            raise BadSettings(f"{_unknown(name, known, 'the environment')} Else unset it")


def _strangers(env: Env) -> list[str]:
    names = {name for name in env.variable_names() if name.startswith("REVERIE_")}
    known = {*_known_variables(), *map(variable_of, REMOVED)}
    return [name for name in sorted(names - known) if not _SET_BY_OTHERS.fullmatch(name)]


def _is_meant(name: str) -> bool:
    """Whether whoever set it surely wanted a setting: it begins with one of our sections, or nearly is one of ours."""
    rest = [one.removeprefix("REVERIE_") for one in _known_variables()]
    is_near = get_close_matches(name.removeprefix("REVERIE_"), rest, n=1, cutoff=_NEARLY)
    return bool(is_near or _of_section(name))


def _of_section(name: str) -> list[str]:
    """The variables of the section that a name begins with; none if it begins with no section."""
    begins = [f"REVERIE_{section.upper()}_" for section in _sections()]
    return [
        knob.variable
        for knob in knobs().values()
        for one in begins
        if name.startswith(one) and knob.variable.startswith(one)
    ]


def _known_variables() -> list[str]:
    return [*_OTHER_VARIABLES, *(knob.variable for knob in knobs().values())]


def _sections() -> set[str]:
    return {path.partition(".")[0] for path in knobs() if "." in path}


def parse_settings(text: str, where: str) -> Settings:
    """Settings from TOML text.

    >>> parse_settings("[context]\\nmax_chars = 900", "x").context.max_chars
    900
    """
    settings = Settings()
    for path, value in _leaves(text, where):
        if path in REMOVED:
            continue
        knob = _knob(path, where)
        settings = _set(settings, knob, _checked(value, knob, f"{path} in {where}"))
    return settings


def check_project_file(text: str, where: str) -> ProjectSettings:
    """Read a project's own `.reverie.toml`. It can only set what concerns the project.

    >>> check_project_file("[project]\\nenabled = false", "x").enabled
    False
    """
    settings = parse_settings(text, where)
    for path, _ in _leaves(text, where):
        if not path.startswith("project."):
            raise BadSettings(f'"{path}" (in {where}) belongs in reverie.toml; a project has only [project] settings')
    return settings.project


def _knob(path: str, where: str) -> Knob:
    if path not in knobs():
        raise BadSettings(_unknown(path, list(knobs()), where))
    return knobs()[path]


def _leaves(text: str, where: str) -> list[tuple[str, Any]]:
    try:
        table = tomllib.loads(text.removeprefix("\ufeff"))  # which some editors put before everything
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{where} is not valid TOML: {error}") from error
    sections = _sections() | {path.partition(".")[0] for path in REMOVED}
    leaves: list[tuple[str, Any]] = []
    for name, value in table.items():
        if name in sections and not isinstance(value, dict):
            raise BadSettings(f"[{name}] is a section, not a value: write [{name}] on a line of its own")
        if isinstance(value, dict):
            if not value and name not in sections:
                raise BadSettings(_unknown(name, sorted(sections), where))
            leaves += [(f"{name}.{inner}", inner_value) for inner, inner_value in value.items()]
        else:
            leaves.append((name, value))
    return leaves


def _unknown(path: str, known: Sequence[str], where: str) -> str:
    near = get_close_matches(path, known, n=1, cutoff=0.6)
    hint = f'; did you mean "{near[0]}"?' if near else f"; known are {', '.join(known)}"
    return f'no setting "{path}" (in {where}){hint}'


def _set(settings: Settings, knob: Knob, value: Any) -> Settings:
    section, _, name = knob.path.rpartition(".")
    if not section:
        return replace(settings, **{name: value})
    return replace(settings, **{section: replace(getattr(settings, section), **{name: value})})


def _from_text(text: str, knob: Knob, where: str) -> Any:
    value: Any = text
    try:
        if knob.kind is bool:
            value = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
        elif knob.kind in (int, float):
            value = knob.kind(text)
        elif get_origin(knob.kind) is tuple:
            value = [part.strip() for part in text.split(",") if part.strip()]
    except (KeyError, ValueError):
        raise BadSettings(f"{where} is {text!r}; it takes {knob.takes}") from None
    return _checked(value, knob, where)


def _checked(value: Any, knob: Knob, where: str) -> Any:
    if knob.kind is float and type(value) is int:
        value = float(value)
    if get_origin(knob.kind) is Literal:
        ok = value in get_args(knob.kind)
    elif get_origin(knob.kind) is tuple:
        ok = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
        value = tuple(value) if ok else value
    else:
        ok = type(value) is knob.kind
    if ok and knob.kind in (int, float):
        if not math.isfinite(value):
            raise BadSettings(f"{where} is {value}; it takes a finite number")
        ok = value == knob.range.unset or knob.range.least <= value
    if not ok:
        raise BadSettings(f"{where} is {value!r}; it takes {knob.takes}")
    return value
