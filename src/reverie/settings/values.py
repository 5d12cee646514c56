"""The settings as one frozen value, each knob with its default and its reason; and a list of the knobs.

A number has bounds where one beyond them would do harm: lose work, spin, spend. What nobody should set is a constant
beside the code that uses it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a number may have: from `least` to `most`, or `unset`, which says that it is not known."""

    least: float = 0
    unset: float | None = None


Count = Annotated[int, Range(1)]  # of what nothing can be done without
Tokens = Annotated[int, Range(20)]  # room for a sentence
Seconds = Annotated[float, Range(1)]  # what is given less fails on a busy machine
Lasting = Annotated[float, Range(0.01)]  # a time that something is divided by, or that tells before from after
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
    input_dollars_per_million: Price = -1.0  # set these two for a model that the price table does not know
    output_dollars_per_million: Price = -1.0  # 0 for a model of your own

    @property
    def may_be_asked(self) -> bool:
        """Whether a model may be asked at all. By default none is: the budget is 0."""
        return self.provider != "none" and self.daily_dollars > 0


@dataclass(frozen=True, slots=True)
class ContextSettings:
    max_chars: int = 9_000  # Claude Code hides what is longer than 10,000 behind a file


@dataclass(frozen=True, slots=True)
class StewardSettings:
    on_demand: bool = True  # false: hooks start no steward, and work alone
    idle_minutes: Lasting = 15.0  # then a steward that a hook started ends; the next hook starts it again


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
    hide_raw: bool = False  # true: a summary takes the raw items' place in recall; they stay one pointer away


@dataclass(frozen=True, slots=True)
class StoreSettings:
    default_filters: tuple[str, ...] = ()  # "key=value" each, for every question that does not say otherwise
    working_max_items: int = 50  # more than a screen of notes is not in anybody's mind
    working_max_tokens: int = 4_000  # likewise; at most a few per cent of a model's window
    semantic_max_items: int = 100_000  # current facts; beyond this the least useful subjects go; 0 for no limit
    conversation_max_messages: int = 40  # of a session, as they were said; older ones live on in its rolling summary
    conversation_max_tokens: int = 4_000  # likewise: whichever limit is reached first


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """For how many days memories of each policy are found; 0 is for ever. The log keeps its own."""

    user_days: float = 0.0  # what people said in notes, and what they want kept
    conversation_days: float = 0.0  # messages: the record of who said what
    knowledge_days: float = 0.0  # facts, preferences, skills, summaries; these are superseded, not aged
    tool_results_days: float = 30.0  # their content is mostly stale after a month, and in the log
    observations_days: float = 7.0  # passing states of the world
    errors_days: float = 7.0  # an error is fixed or seen again within a week
    working_days: float = 1.0  # a scratchpad is for the task at hand


@dataclass(frozen=True, slots=True)
class RecallSettings:
    similarity: Weight = 0.40  # relevance matters most; these four are the formula's, changed by a recorded proposal
    recency: Weight = 0.25  # what is new matters less than what was asked for
    importance: Weight = 0.25  # likewise
    duplication: Weight = 0.10  # taken off what repeats working memory
    floor: Bar = 0.67  # how well an answer must be founded to be told; 0 tells the nearest, however far it is
    turn_tokens: Tokens = 32_000  # that one turn may be given in all, however often it asks


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    provider: Literal["static", "minilm", "http", "none"] = "static"  # static: no model to run, 8,000 texts a second
    model: str = ""  # http: the name of the model; part of what makes vectors comparable
    folder: str = ""  # minilm: where model.onnx and tokenizer.json are
    base_url: str = ""  # http: an address with /embeddings below it, such as http://localhost:11434/v1
    key_variable: str = ""  # http: the variable that holds the key; none is sent without one


@dataclass(frozen=True, slots=True)
class PersonSettings:
    first_name: str = ""  # how the base prompt calls the person; without one it says "the user"
    time_zone: str = ""  # such as Europe/Berlin, for reminders and times in prompts; by default the machine's


@dataclass(frozen=True, slots=True)
class ComposeSettings:
    profile: Literal["active", "ambient"] = "active"  # ambient: no memory tools, no MEMORY.md; everything is injected
    volatile: Literal["tail", "system"] = "tail"  # system: before the history, which every change then bills anew
    section_order: tuple[str, ...] = ()  # these sections stand side by side in this order, where the first known one is
    deadline_ms: Count = 250  # for all trinkets of a prompt; an answer within 300 ms leaves the rest for rendering
    trinket_ms: Count = 100  # for one trinket; who takes longer is left out and named in the report
    state: Literal["engine", "valkey"] = "engine"  # where the state of sections is kept
    valkey_url: str = "redis://127.0.0.1:6379/0"  # for state = "valkey"
    valkey_ms: Count = 50  # for one exchange with it; after a failure it is left alone for a while


@dataclass(frozen=True, slots=True)
class ContinuumSettings:
    segment_minutes: Lasting = 60.0  # of silence, then a segment collapses
    tool_rounds: Count = 8  # requests in one turn; a model that calls tools for ever is stopped with what it has
    tool_seconds: Seconds = 20.0  # for one tool call; a tool that hangs is abandoned
    max_output_tokens: Tokens = 2_000  # of one reply
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
    steward: StewardSettings = field(default_factory=StewardSettings)
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


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting: its dotted name, its type, and what it may be if it is a number."""

    path: str
    kind: Any
    range: Range = Range()

    @property
    def variable(self) -> str:
        return variable_of(self.path)

    @property
    def takes(self) -> str:
        """In words.

        >>> knobs()["continuum.tool_rounds"].takes, knobs()["model.input_dollars_per_million"].takes
        ('a whole number, at least 1', 'a number, at least 0, or -1 for not known')
        """
        if get_origin(self.kind) is Literal:
            return "one of " + ", ".join(map(repr, get_args(self.kind)))
        if get_origin(self.kind) is tuple:
            return "a list of words"
        if self.kind in (bool, str):
            return "true or false" if self.kind is bool else "a text"
        least, unset = self.range.least, self.range.unset
        unknown = f", or {unset:g} for not known" if unset is not None else ""
        return f"{'a whole number' if self.kind is int else 'a number'}, at least {least:g}{unknown}"


def variable_of(path: str) -> str:
    """Return the environment variable of a setting.

    >>> variable_of("model.daily_dollars")
    'REVERIE_MODEL_DAILY_DOLLARS'
    """
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
