"""One frozen settings value: a TOML file, then environment variables, then arguments; each knob with its reason.

A variable is named after its place: `[model] daily_dollars` is `REVERIE_MODEL_DAILY_DOLLARS`. An unknown key is an
error that names the nearest one, because a misspelt limit is worse than none.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Read from a project's own `.reverie.toml` as well."""

    enabled: bool = True  # false: nothing that happens in this project is captured or injected


@dataclass(frozen=True, slots=True)
class InboxSettings:
    batch: int = 50  # turns per claim: two syncs are shared by that many
    lease_seconds: float = 120.0  # longer than the slowest model call, so that a lease outlives honest work
    max_attempts: int = 5  # then it is dead, listed, and can be retried
    turn_grace_seconds: float = 2.0  # hooks that run beside Stop still belong to its turn
    idle_turn_seconds: float = 600.0  # a turn without a Stop ends by itself, and an idle open session is warned of
    stale_hours: float = 6.0  # imported turns older than this are not worth a model's time; rules still run


@dataclass(frozen=True, slots=True)
class ModelSettings:
    provider: Literal["none", "anthropic", "openai"] = "none"  # openai means any Chat Completions server
    name: str = "claude-haiku-4-5"  # the cheapest that follows the output format
    base_url: str = ""  # default: ANTHROPIC_BASE_URL or OPENAI_BASE_URL, then the provider's own
    key_variable: str = ""  # default: ANTHROPIC_API_KEY or OPENAI_API_KEY
    daily_dollars: float = 0.0  # hard ceiling a day; 0 means that no model is ever called
    session_dollars: float = 0.05  # one runaway session must not use up the day
    timeout_seconds: float = 60.0  # for the whole exchange
    max_output_tokens: int = 700  # a turn rarely teaches more than ten lines
    view_chars: int = 2000  # of each tool result that a model is shown; the log keeps everything
    skip_tools: tuple[str, ...] = ("TodoWrite", "TodoRead", "ToolSearch", "ListMcpResourcesTool")  # they carry nothing
    input_dollars_per_million: float = -1.0  # set these two for a model that the price table does not know
    output_dollars_per_million: float = -1.0  # 0 for a model of your own


@dataclass(frozen=True, slots=True)
class ContextSettings:
    learning_hours: float = 48.0  # older learnings are found by search; preferences stay in user.md
    max_learnings: int = 40  # newest first; an agent that reads a wall of text reads none of it
    max_chars: int = 9_000  # Claude Code hides what is longer than 10,000 behind a file


@dataclass(frozen=True, slots=True)
class Settings:
    user: str = "local"  # whose memory this is
    project: ProjectSettings = field(default_factory=ProjectSettings)
    inbox: InboxSettings = field(default_factory=InboxSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    context: ContextSettings = field(default_factory=ContextSettings)


def load_settings(workspace: Workspace, env: Env, overrides: Mapping[str, str] | None = None) -> Settings:
    """Settings for a workspace: its file, then REVERIE_… variables, then `section.key` overrides."""
    data = env.files.read(workspace.settings)
    settings = parse_settings(data.decode("utf-8", "replace"), str(workspace.settings)) if data else Settings()
    for path, kind in knobs():
        variable = "REVERIE_" + path.replace(".", "_").upper()
        if (value := env.variable(variable)) is not None:
            settings = _set(settings, path, _from_text(value, kind, variable))
    for path, value in (overrides or {}).items():
        kind = dict(knobs()).get(path)
        if kind is None:
            raise BadSettings(_unknown(path, [name for name, _ in knobs()], "the arguments"))
        settings = _set(settings, path, _from_text(value, kind, path))
    return settings


def parse_settings(text: str, where: str) -> Settings:
    """Settings from TOML text.

    >>> parse_settings("[context]\\nmax_learnings = 3", "x").context.max_learnings
    3
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{where} is not valid TOML: {error}") from error
    settings = Settings()
    for path, value in _leaves(table):
        kinds = dict(knobs())
        if path not in kinds:
            raise BadSettings(_unknown(path, list(kinds), where))
        settings = _set(settings, path, _checked(value, kinds[path], f"{path} in {where}"))
    return settings


def knobs() -> list[tuple[str, Any]]:
    """Every knob as (dotted name, type), in order."""
    found: list[tuple[str, Any]] = []
    for name, kind in get_type_hints(Settings).items():
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__"):
            found += [(f"{name}.{inner}", inner_kind) for inner, inner_kind in get_type_hints(kind).items()]
        else:
            found.append((name, kind))
    return found


def _leaves(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    sections = {f.name for f in fields(Settings)} - {"user"}
    leaves: list[tuple[str, Any]] = []
    for name, value in table.items():
        if name in sections and not isinstance(value, dict):
            raise BadSettings(f"[{name}] is a section, not a value: write [{name}] on a line of its own")
        if isinstance(value, dict):
            leaves += [(f"{name}.{inner}", inner_value) for inner, inner_value in value.items()]
        else:
            leaves.append((name, value))
    return leaves


def _unknown(path: str, known: list[str], where: str) -> str:
    near = get_close_matches(path, known, n=1, cutoff=0.4)
    hint = f'; did you mean "{near[0]}"?' if near else f"; known are {', '.join(known)}"
    return f'no setting "{path}" (in {where}){hint}'


def _set(settings: Settings, path: str, value: Any) -> Settings:
    section, _, name = path.rpartition(".")
    if not section:
        return replace(settings, **{name: value})
    return replace(settings, **{section: replace(getattr(settings, section), **{name: value})})


def _from_text(text: str, kind: Any, where: str) -> Any:
    value: Any = text
    try:
        if kind is bool:
            value = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
        elif kind in (int, float):
            value = kind(text)
        elif get_origin(kind) is tuple:
            value = [part.strip() for part in text.split(",") if part.strip()]
    except (KeyError, ValueError):
        raise BadSettings(f"{where} is {text!r}; it takes {_describe(kind)}") from None
    return _checked(value, kind, where)


def _checked(value: Any, kind: Any, where: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if get_origin(kind) is Literal:
        ok = value in get_args(kind)
    elif get_origin(kind) is tuple:
        ok = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
        value = tuple(value) if ok else value
    else:
        ok = type(value) is kind
    if not ok:
        raise BadSettings(f"{where} is {value!r}; it takes {_describe(kind)}")
    return value


def _describe(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    if get_origin(kind) is tuple:
        return "a list of words"
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind]
