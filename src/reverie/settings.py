"""One frozen settings value: a TOML file, then environment variables, then arguments; each knob with its reason.

A variable is named after its place: `[model] daily_dollars` is `REVERIE_MODEL_DAILY_DOLLARS`. An unknown key, or a
variable that begins with one of our sections or nearly is one of ours, is an error that names the nearest: a misspelt
limit is worse than none. A number has bounds where one beyond them would do harm: lose work, spin, spend.
"""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from reverie.errors import BadSettings
from reverie.foundation.workspace import Workspace
from reverie.ports import Env


@dataclass(frozen=True, slots=True)
class Range:
    """What a number may be: from `least` to `most`, or `unset`, which says that it is not known."""

    least: float = 0
    most: float = math.inf
    unset: float | None = None


Count = Annotated[int, Range(1)]  # of what nothing can be done without
Tokens = Annotated[int, Range(20)]  # room for a sentence
Chars = Annotated[int, Range(500)]  # room for a paragraph
Seconds = Annotated[float, Range(1)]  # what is given less fails on a busy machine
Lasting = Annotated[float, Range(0.01)]  # a time that something is divided by, or that tells before from after
Share = Annotated[float, Range(0, 1)]
Weight = Annotated[float, Range()]  # relative to others, so that any will do
Bar = Annotated[float, Range()]  # for what is from 0 to 1; nothing gets over one that is higher
Price = Annotated[float, Range(unset=-1)]
Treatment = Literal["keep", "mask", "drop"]


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Read from a project's own `.reverie.toml` as well."""

    enabled: bool = True  # false: nothing that happens in this project is captured or injected


@dataclass(frozen=True, slots=True)
class InboxSettings:
    turn_grace_seconds: float = 2.0  # hooks that run beside Stop still belong to its turn
    idle_turn_seconds: Seconds = 600.0  # a turn without a Stop ends by itself, and an idle open session is warned of
    stale_hours: float = 6.0  # imported turns older than this are not worth a model's time; rules still run


@dataclass(frozen=True, slots=True)
class ModelSettings:
    provider: Literal["none", "anthropic", "openai"] = "none"  # openai means any Chat Completions server
    name: str = "claude-haiku-4-5"  # the cheapest that follows the output format
    base_url: str = ""  # default: ANTHROPIC_BASE_URL or OPENAI_BASE_URL, then the provider's own
    key_variable: str = ""  # default: ANTHROPIC_API_KEY or OPENAI_API_KEY
    daily_dollars: float = 0.0  # hard ceiling a day; 0 means that no model is ever called
    session_dollars: float = 0.05  # one runaway session must not use up the day
    timeout_seconds: Seconds = 60.0  # for the whole exchange
    skip_tools: tuple[str, ...] = ("TodoWrite", "TodoRead", "ToolSearch", "ListMcpResourcesTool")  # they carry nothing
    input_dollars_per_million: Price = -1.0  # set these two for a model that the price table does not know
    output_dollars_per_million: Price = -1.0  # 0 for a model of your own

    @property
    def may_be_asked(self) -> bool:
        """Whether a model may be asked at all. By default none is: the budget is 0."""
        return self.provider != "none" and self.daily_dollars > 0


@dataclass(frozen=True, slots=True)
class ContextSettings:
    learning_hours: float = 48.0  # older learnings are found by search; preferences stay in user.md
    max_learnings: int = 40  # newest first; an agent that reads a wall of text reads none of it
    max_actions: int = 20  # the most pressing first
    max_chars: int = 9_000  # Claude Code hides what is longer than 10,000 behind a file


@dataclass(frozen=True, slots=True)
class GateSettings:
    floor: Bar = 0.3  # importance above which a learning is kept; whole messages are kept in any case
    same: Bar = 0.9  # likeness at which two texts say the same; a false merge loses a fact, a missed one only room
    quarantine: bool = True  # hold back what a tool told the agent to do; false only for tests of the defence


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """Personal data in memory: keep it, mask it, or drop the item that has it. The log has it, unless it is strict."""

    log: Literal["keep", "strict"] = "keep"  # strict: what is masked or dropped below is masked in the log, too
    card: Treatment = "mask"  # an agent never needs the number
    iban: Treatment = "mask"  # nor the account
    id: Treatment = "mask"  # social security, passport, licence, tax and national numbers
    email: Treatment = "keep"  # who to write to is what people want remembered
    phone: Treatment = "keep"  # likewise
    address: Treatment = "keep"  # likewise
    ip: Treatment = "keep"  # in a developer's memory it is nearly always a host
    birth_date: Treatment = "keep"  # found only where it is called one
    name: Treatment = "keep"  # keep also means that names are not looked for: rules find them badly


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    thread_minutes: Lasting = 30.0  # a longer silence begins a new thread, where nobody chose the thread
    implicit_channels: tuple[str, ...] = ("sms", "mail", "email", "whatsapp", "signal")  # nobody chooses a thread there
    hide_raw: bool = False  # true: a summary takes the raw items' place in recall; they stay one pointer away


@dataclass(frozen=True, slots=True)
class StoreSettings:
    default_filters: tuple[str, ...] = ()  # "key=value" each, for every question that does not say otherwise
    working_max_items: int = 50  # more than a screen of notes is not in anybody's mind
    working_max_tokens: int = 4_000  # likewise; at most a few per cent of a model's window
    chunk_tokens: Tokens = 2_000  # longer texts are kept in linked chunks, so that a match points at a part
    semantic_max_items: int = 100_000  # current facts; beyond this the least useful subjects go; 0 for no limit
    conversation_max_messages: int = 40  # of a session, as they were said; older ones live on in its rolling summary
    conversation_max_tokens: int = 4_000  # likewise: whichever limit is reached first


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """How many days memories of each policy are found; 0 is for ever. The log keeps its own."""

    user_days: float = 0.0  # what people said in notes, and what they want kept
    conversation_days: float = 0.0  # messages: the record of who said what
    knowledge_days: float = 0.0  # facts, preferences, skills, summaries; these are superseded, not aged
    tool_results_days: float = 30.0  # their content is mostly stale after a month, and in the log
    observations_days: float = 7.0  # passing states of the world
    errors_days: float = 7.0  # an error is fixed or seen again within a week
    working_days: float = 1.0  # a scratchpad is for the task at hand


@dataclass(frozen=True, slots=True)
class RecallSettings:
    candidates: Count = 200  # offered to the ranking at most, however large the budget: each must be fetched and ranked
    similarity: Weight = 0.40  # relevance matters most; these four are the formula's, changed by a recorded proposal
    recency: Weight = 0.25  # what is new matters less than what was asked for; it weighs over the span below
    importance: Weight = 0.25  # likewise
    duplication: Weight = 0.10  # taken off what repeats working memory
    recency_span: Share = 0.1  # how far recency may fall: over its full range it buries old exact answers
    current_span: Share = 0.2  # the same when the question asks for what is current
    importance_span: Share = 0.1  # likewise for importance
    half_life_days: Lasting = 30.0  # after this time half of the span is gone
    duplicate: Bar = 0.8  # likeness to working memory from which duplication counts
    same: Bar = 0.95  # likeness from which an item is the same as one in working memory, and left out
    clip_tokens: Tokens = 120  # a long item is shown around its match: 3 points more evidence in 1,000 tokens
    per_type: int = 1  # items of each memory type that are packed before the rest, where there are any
    turn_tokens: Tokens = 32_000  # that one turn may be given in all, however often it asks


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    provider: Literal["static", "minilm", "http", "none"] = "static"  # static: no model to run, 8,000 texts a second
    model: str = ""  # http: the name of the model; part of what makes vectors comparable
    folder: str = ""  # minilm: where model.onnx and tokenizer.json are
    base_url: str = ""  # http: an address with /embeddings below it, such as http://localhost:11434/v1
    key_variable: str = ""  # http: the variable that holds the key; none is sent without one
    dimensions: int = 0  # http: how long a vector is; 0 asks the server with a first text
    batch: Count = 64  # texts in one request
    timeout_seconds: Seconds = 30.0  # for one request


@dataclass(frozen=True, slots=True)
class PersonSettings:
    first_name: str = ""  # how the base prompt calls the person; without one it says "the user"
    time_zone: str = ""  # such as Europe/Berlin, for reminders and times in prompts; by default the machine's


@dataclass(frozen=True, slots=True)
class ComposeSettings:
    profile: Literal["active", "ambient"] = "active"  # ambient: no memory tools, no MEMORY.md; everything is injected
    volatile: Literal["tail", "system"] = "tail"  # system: before the history, which every change then bills anew
    section_order: tuple[str, ...] = ()  # these sections stand side by side in this order, where the first known one is
    section_separator: str = "\n\n---\n\n"  # between two sections
    deadline_ms: Count = 250  # for all trinkets of a prompt; an answer within 300 ms leaves the rest for rendering
    trinket_ms: Count = 100  # for one trinket; who takes longer is left out and named in the report
    max_section_chars: Chars = 200_000  # a longer section is left out and named: it would crowd out everything else
    state: Literal["engine", "valkey"] = "engine"  # where the state of sections is kept
    valkey_url: str = "redis://127.0.0.1:6379/0"  # for state = "valkey"
    valkey_ms: Count = 50  # for one exchange with it; after a failure it is left alone for a while
    link_depth: int = 2  # how deep linked memories are shown under a surfaced one
    surfaced: int = 8  # memories that surface in a turn; more are found by search
    manifest_segments: int = 30  # of the conversation that the manifest lists
    large_section_chars: int = 5_000  # of a document's section, from which it is flagged as large
    document_depth: int = 1  # how deep sections of a document may be nested below the top level


@dataclass(frozen=True, slots=True)
class ContinuumSettings:
    segment_minutes: Lasting = 60.0  # of silence, then a segment collapses
    tool_rounds: Count = 8  # requests in one turn; a model that calls tools for ever is stopped with what it has
    tool_seconds: Seconds = 20.0  # for one tool call; a tool that hangs is abandoned
    max_output_tokens: Tokens = 2_000  # of one reply
    recall_tokens: Tokens = 1_200  # of memories that surface in a turn
    segment_dollars: float = 1.0  # that one segment may cost, within model.daily_dollars


@dataclass(frozen=True, slots=True)
class Settings:
    user: str = "local"  # for whom hooks capture and who is told; files for people stay those of who made the workspace
    memory_types: tuple[str, ...] = ("working", "episodic", "semantic", "conversation")  # in the order they are asked
    enable_tool_tracking: bool = True  # false: tool calls stay in the log and do not become memories
    enable_skill_extraction: bool = True  # false: repeated tool sequences are not looked for
    project: ProjectSettings = field(default_factory=ProjectSettings)
    inbox: InboxSettings = field(default_factory=InboxSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    stores: StoreSettings = field(default_factory=StoreSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    person: PersonSettings = field(default_factory=PersonSettings)
    compose: ComposeSettings = field(default_factory=ComposeSettings)
    continuum: ContinuumSettings = field(default_factory=ContinuumSettings)


# Settings of the past, now constants beside the code that uses them. A file, a variable or an argument that still names
# one is no error: it is ignored, and `status` and `doctor` say so.
_REMOVED_BY_SECTION = {
    "inbox": "batch lease_seconds max_attempts idle_session_seconds",
    "model": "max_output_tokens view_chars",
    "compaction": (
        "link_above link_half_life_hours link_days turns hours tokens least_tokens short_tokens medium_tokens "
        "long_tokens kept_share model_input_tokens skill_repeats skill_normaliser skill_above skill_success "
        "skill_failure skill_fade max_skills merge_likeness"
    ),
    "stores": (
        "candidates working_summary_tokens working_recent working_half_life_minutes "
        "conversation_summary_tokens user_message_importance assistant_message_importance "
        "tool_result_importance error_importance note_importance"
    ),
    "continuum": (
        "summaries summary_complexity continuity_turns retry_minutes message_chars continuity_chars wait_seconds"
    ),
    "tools": "idle_turns fallback_turns search_seconds searches_at_once problem_turns",
}
_REMOVED = frozenset(f"{section}.{name}" for section, names in _REMOVED_BY_SECTION.items() for name in names.split())


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
        if path in _REMOVED:
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
        if path.strip() in _REMOVED:
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
    variables = {path for path in _REMOVED if env.variable(_variable(path)) is not None}
    return sorted(_REMOVED & (named | variables))


def _check_variables(env: Env) -> None:
    for name in _strangers(env):
        if _is_meant(name):
            known = _of_section(name) or _known_variables()
            raise BadSettings(f"{_unknown(name, known, 'the environment')} Else unset it")


def _strangers(env: Env) -> list[str]:
    names = {name for name in env.variable_names() if name.startswith("REVERIE_")}
    known = {*_known_variables(), *map(_variable, _REMOVED)}
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

    >>> parse_settings("[context]\\nmax_learnings = 3", "x").context.max_learnings
    3
    """
    settings = Settings()
    for path, value in _leaves(text, where):
        if path in _REMOVED:
            continue
        knob = _knob(path, where)
        settings = _set(settings, knob, _checked(value, knob, f"{path} in {where}"))
    return settings


def check_project_file(text: str, where: str) -> ProjectSettings:
    """What a project's own `.reverie.toml` says. It is the project's word, so it can only speak for the project.

    >>> check_project_file("[project]\\nenabled = false", "x").enabled
    False
    """
    settings = parse_settings(text, where)
    for path, _ in _leaves(text, where):
        if not path.startswith("project."):
            raise BadSettings(f'"{path}" (in {where}) belongs in reverie.toml; a project has only [project] settings')
    return settings.project


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting: its dotted name, its type, and what it may be if it is a number."""

    path: str
    kind: Any
    range: Range = Range()

    @property
    def variable(self) -> str:
        return _variable(self.path)

    @property
    def takes(self) -> str:
        """In words.

        >>> knobs()["continuum.tool_rounds"].takes, knobs()["recall.recency_span"].takes
        ('a whole number, at least 1', 'a number from 0 to 1')
        """
        if get_origin(self.kind) is Literal:
            return "one of " + ", ".join(map(repr, get_args(self.kind)))
        if get_origin(self.kind) is tuple:
            return "a list of words"
        if self.kind in (bool, str):
            return "true or false" if self.kind is bool else "a text"
        least, most, unset = self.range.least, self.range.most, self.range.unset
        bounds = f" from {least:g} to {most:g}" if most < math.inf else f", at least {least:g}"
        unknown = f", or {unset:g} for not known" if unset is not None else ""
        return f"{'a whole number' if self.kind is int else 'a number'}{bounds}{unknown}"


def _variable(path: str) -> str:
    return "REVERIE_" + path.replace(".", "_").upper()


@cache
def knobs() -> Mapping[str, Knob]:
    """Every knob by its dotted name, in order."""
    found = {}
    for name, kind in get_type_hints(Settings, include_extras=True).items():
        if hasattr(kind, "__dataclass_fields__"):
            inside = get_type_hints(kind, include_extras=True)
            found.update({f"{name}.{inner}": hint for inner, hint in inside.items()})
        else:
            found[name] = kind
    return {path: Knob(path, *_bounded(hint)) for path, hint in found.items()}


def _bounded(hint: Any) -> tuple[Any, Range]:
    return get_args(hint) if get_origin(hint) is Annotated else (hint, Range())


def _knob(path: str, where: str) -> Knob:
    if path not in knobs():
        raise BadSettings(_unknown(path, list(knobs()), where))
    return knobs()[path]


def _leaves(text: str, where: str) -> list[tuple[str, Any]]:
    try:
        table = tomllib.loads(text.removeprefix("\ufeff"))  # which some editors put before everything
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{where} is not valid TOML: {error}") from error
    sections = _sections() | _REMOVED_BY_SECTION.keys()
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
        ok = value == knob.range.unset or knob.range.least <= value <= knob.range.most
    if not ok:
        raise BadSettings(f"{where} is {value!r}; it takes {knob.takes}")
    return value
