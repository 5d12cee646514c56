"""One frozen settings value: a TOML file, then environment variables, then arguments; each knob with its reason.

A variable is named after its place: `[model] daily_dollars` is `REVERIE_MODEL_DAILY_DOLLARS`. An unknown key is an
error that names the nearest one, because a misspelt limit is worse than none.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.workspace import Workspace

Treatment = Literal["keep", "mask", "drop"]


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Read from a project's own `.reverie.toml` as well."""

    enabled: bool = True  # false: nothing that happens in this project is captured or injected


@dataclass(frozen=True, slots=True)
class InboxSettings:
    batch: int = 200  # turns per claim: two syncs are shared by that many
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
class GateSettings:
    floor: float = 0.3  # importance above which a learning is kept; whole messages are kept in any case
    same: float = 0.9  # likeness at which two texts say the same; a false merge loses a fact, a missed one only room
    quarantine: bool = True  # hold back what a tool told the agent to do; false only for tests of the defence


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """Personal data in memory: keep it, mask it, or drop the item that has it. The log stays as it is."""

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
    thread_minutes: float = 30.0  # a longer silence begins a new thread, where nobody chose the thread
    implicit_channels: tuple[str, ...] = ("sms", "mail", "email", "whatsapp", "signal")  # nobody chooses a thread there
    link_above: float = 0.7  # the seed's bar for two threads to be one matter
    link_half_life_hours: float = 24.0  # of the recency term: what was a day ago counts half
    link_days: float = 14.0  # threads further apart are not compared: few matters rest that long, and each pair costs
    turns: int = 50  # of a thread, before it is compacted while it still runs
    hours: float = 24.0  # likewise
    tokens: int = 8_000  # likewise: about as much as a person reads again in one go
    least_tokens: int = 200  # what is shorter is read as fast as its summary would be
    short_tokens: int = 100  # the three lengths of a summary: a line in a list,
    medium_tokens: int = 500  # a paragraph,
    long_tokens: int = 1_000  # and what stands for the raw items in recall
    hide_raw: bool = False  # true: a summary takes the raw items' place in recall; they stay one pointer away
    kept_share: float = 0.48  # of the raw tokens, at most, for the longest summary: compaction must at least halve
    model_input_tokens: int = 12_000  # of what a model is shown to summarise; more is simplified first
    skill_repeats: int = 3  # a sequence that was done less often is a coincidence
    skill_normaliser: int = 10  # repetitions that count in full; with 50, nothing under 15 could ever become a skill
    skill_above: float = 0.7  # confidence at which a sequence becomes a skill
    skill_success: float = 0.05  # confidence gained by each further run that worked
    skill_failure: float = 0.10  # and lost by each that did not: a bad habit is worse than none
    skill_fade: float = 0.95  # times this for every 30 days without use
    max_skills: int = 1_000  # the least trusted go first
    merge_likeness: float = 0.88  # of stems, and vectors where given; what differs may only add, see stores/merging.py


@dataclass(frozen=True, slots=True)
class StoreSettings:
    default_filters: tuple[str, ...] = ()  # "key=value" each, for every question that does not say otherwise
    candidates: int = 100  # that episodic and semantic memory offer to a question; the ranking picks from these
    working_max_items: int = 50  # more than a screen of notes is not in anybody's mind
    working_max_tokens: int = 4_000  # likewise; at most a few per cent of a model's window
    working_summary_tokens: int = 300  # of what fell out of working memory; never over a quarter of it
    working_recent: int = 12  # newest items that working memory offers, whatever is asked
    working_half_life_minutes: float = 60.0  # what is an hour old counts half; a task rarely runs longer
    chunk_tokens: int = 2_000  # longer texts are kept in linked chunks, so that a match points at a part
    semantic_max_items: int = 100_000  # current facts; beyond this the least useful subjects go; 0 for no limit
    conversation_max_messages: int = 40  # of a session, as they were said; older ones live on in its rolling summary
    conversation_max_tokens: int = 4_000  # likewise: whichever limit is reached first
    conversation_summary_tokens: int = 400  # of the rolling summary
    user_message_importance: float = 0.5  # before the gate has looked; what people say is worth more than
    assistant_message_importance: float = 0.4  # what agents say,
    tool_result_importance: float = 0.3  # and that more than what tools print
    error_importance: float = 0.5  # what went wrong is what one looks for later
    note_importance: float = 0.8  # somebody asked for it to be remembered


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
    decay_per_day: float = 0.0432  # lambda of w(t) = exp(-lambda t): half after 16 days without use


@dataclass(frozen=True, slots=True)
class RecallSettings:
    candidates: int = 200  # offered to the ranking at most, however large the budget: each must be fetched and ranked
    similarity: float = 0.40  # relevance matters most; these four are the formula's, changed by a recorded proposal
    recency: float = 0.25  # the seed's weight, over the span below
    importance: float = 0.25  # likewise
    duplication: float = 0.10  # taken off what repeats working memory
    recency_span: float = 0.1  # how far recency may fall: over its full range it buries old exact answers
    current_span: float = 0.2  # the same when the question asks for what is current
    importance_span: float = 0.1  # likewise for importance
    half_life_days: float = 30.0  # after this time half of the span is gone
    duplicate: float = 0.8  # likeness to working memory from which duplication counts
    same: float = 0.95  # likeness from which an item is the same as one in working memory, and left out
    clip_tokens: int = 120  # a long item is shown around its match: 3 points more evidence in 1,000 tokens than whole
    per_type: int = 1  # items of each memory type that are packed before the rest, where there are any
    turn_tokens: int = 32_000  # that one turn may be given in all, however often it asks


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    provider: Literal["static", "minilm", "http", "none"] = "static"  # static: no model to run, 8,000 texts a second
    model: str = ""  # http: the name of the model; part of what makes vectors comparable
    folder: str = ""  # minilm: where model.onnx and tokenizer.json are
    base_url: str = ""  # http: an address with /embeddings below it, such as http://localhost:11434/v1
    key_variable: str = ""  # http: the variable that holds the key; none is sent without one
    dimensions: int = 0  # http: how long a vector is; 0 asks the server with a first text
    batch: int = 64  # texts in one request
    timeout_seconds: float = 30.0  # for one request


@dataclass(frozen=True, slots=True)
class PersonSettings:
    first_name: str = ""  # how the base prompt calls the person; without one it says "the user"
    time_zone: str = ""  # such as Europe/Berlin, for reminders and times in prompts; by default the machine's


@dataclass(frozen=True, slots=True)
class ComposeSettings:
    profile: Literal["active", "ambient"] = "active"  # ambient: no memory tools, no MEMORY.md; everything is injected
    volatile: Literal["tail", "system"] = "tail"  # system: the seed's layout, which bills the history anew every turn
    deadline_ms: int = 250  # for all trinkets of a prompt; an answer within 300 ms leaves the rest for rendering
    trinket_ms: int = 100  # for one trinket; who takes longer is left out and named in the report
    max_section_chars: int = 200_000  # a longer section is left out and named: it would crowd out everything else
    state: Literal["engine", "valkey"] = "engine"  # where the state of sections is kept
    valkey_url: str = "redis://127.0.0.1:6379/0"  # for state = "valkey"
    valkey_ms: int = 50  # for one exchange with it; after a failure it is left alone for a while
    link_depth: int = 2  # how deep linked memories are shown under a surfaced one
    surfaced: int = 8  # memories that surface in a turn; more are found by search
    manifest_segments: int = 30  # of the conversation that the manifest lists
    large_section_chars: int = 5_000  # of a document's section, from which it is flagged as large
    document_depth: int = 1  # how deep sections of a document may be nested below the top level


@dataclass(frozen=True, slots=True)
class ToolSettings:
    idle_turns: int = 5  # without use, then a tool is unloaded at the next break of the prefix
    fallback_turns: int = 1  # that a tool which was only tried stays
    search_seconds: float = 10.0  # for one context search
    searches_at_once: int = 4  # that run beside a conversation
    problem_turns: int = 5  # that the message of a failed search is shown


@dataclass(frozen=True, slots=True)
class ContinuumSettings:
    segment_minutes: float = 60.0  # of silence, then a segment collapses
    tool_rounds: int = 8  # requests in one turn; a model that calls tools for ever is stopped with what it has
    tool_seconds: float = 20.0  # for one tool call; a tool that hangs is abandoned
    max_output_tokens: int = 2_000  # of one reply
    recall_tokens: int = 1_200  # of memories that surface in a turn
    summaries: int = 5  # of earlier segments, at most, that a session is loaded with
    summary_complexity: int = 8  # that they may have in sum: three dense ones say as much as eight light ones
    continuity_turns: int = 3  # of the segment before that are shown as they were said
    retry_minutes: float = 5.0  # after a collapse that failed
    segment_dollars: float = 1.0  # that one segment may cost, within model.daily_dollars
    message_chars: int = 40_000  # of one message or tool result that the model is shown; the log keeps it whole
    continuity_chars: int = 2_000  # of each message that is shown again at the beginning of the next segment
    wait_seconds: float = 30.0  # for another process that talks in the same conversation


@dataclass(frozen=True, slots=True)
class Settings:
    user: str = "local"  # whose memory this is
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
    tools: ToolSettings = field(default_factory=ToolSettings)
    continuum: ContinuumSettings = field(default_factory=ContinuumSettings)


def load_settings(workspace: Workspace, env: Env, overrides: Mapping[str, str] | None = None) -> Settings:
    """Settings for a workspace: its file, then REVERIE_… variables, then `section.key` overrides."""
    data = env.files.read(workspace.settings)
    settings = parse_settings(data.decode("utf-8", "replace"), str(workspace.settings)) if data else Settings()
    for path, kind in knobs():
        variable = "REVERIE_" + path.replace(".", "_").upper()
        if (value := env.variable(variable)) is not None:
            settings = _set(settings, path, _in_range(_from_text(value, kind, variable), path, variable))
    for path, value in (overrides or {}).items():
        kind = dict(knobs()).get(path)
        if kind is None:
            raise BadSettings(_unknown(path, [name for name, _ in knobs()], "the arguments"))
        settings = _set(settings, path, _in_range(_from_text(value, kind, path), path, path))
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
    for path, value in _leaves(table, where):
        kinds = dict(knobs())
        if path not in kinds:
            raise BadSettings(_unknown(path, list(kinds), where))
        value = _checked(value, kinds[path], f"{path} in {where}")
        settings = _set(settings, path, _in_range(value, path, f"{path} in {where}"))
    return settings


def check_project_file(text: str, where: str) -> ProjectSettings:
    """What a project's own `.reverie.toml` says. It is the project's word, so it can only speak for the project.

    >>> check_project_file("[project]\\nenabled = false", "x").enabled
    False
    """
    settings = parse_settings(text, where)
    for path, _ in _leaves(tomllib.loads(text), where):
        if not path.startswith("project."):
            raise BadSettings(f'"{path}" (in {where}) belongs into reverie.toml; a project has only [project] settings')
    return settings.project


def knobs() -> list[tuple[str, Any]]:
    """Every knob as (dotted name, type), in order."""
    found: list[tuple[str, Any]] = []
    for name, kind in get_type_hints(Settings).items():
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__"):
            found += [(f"{name}.{inner}", inner_kind) for inner, inner_kind in get_type_hints(kind).items()]
        else:
            found.append((name, kind))
    return found


def _leaves(table: Mapping[str, Any], where: str) -> list[tuple[str, Any]]:
    sections = {path.partition(".")[0] for path, _ in knobs() if "." in path}
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


def _in_range(value: Any, path: str, where: str) -> Any:
    """No number is endless, and none is under 0, unless that is how it says that it is not set."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if not math.isfinite(value):
        raise BadSettings(f"{where} is {value}; it takes a number that has an end")
    section, _, name = path.rpartition(".")
    unset = getattr(getattr(Settings(), section), name) if section else getattr(Settings(), name)
    if value < 0 and value != unset:
        raise BadSettings(f"{where} is {value}; it cannot be less than 0")
    return value


def _describe(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    if get_origin(kind) is tuple:
        return "a list of words"
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind]
