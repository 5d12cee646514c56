"""Memory: the façade, and the table of contents of the program.

    observe, note               into the log                        pipeline/ingest.py
    context                     what a coding agent is told         pipeline/session_context.py
    search, assemble_context    what is known about a question      pipeline/lookup.py, agent_turn.py
    forget, rebuild, export     erase, derive again, hand out       pipeline/erase.py, maintenance/, pipeline/export.py

Any process may open a memory, and write to it. One of them at a time is the steward (daemon/steward.py); without one,
every opener takes in what waits and distils by rules for a few milliseconds, so that nothing depends on a daemon.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from reverie.assembly import MemoryParts, OwnParts
from reverie.capture.drain import make_spool
from reverie.capture.observation_input import a_text
from reverie.engines import open_engine
from reverie.env.real import RealEnv
from reverie.errors import BadInput
from reverie.events import EventBus
from reverie.foundation.workspace import Workspace, check_name, expanded, find_home, path_in
from reverie.pipeline.ingest import NOTES
from reverie.pipeline.open_store import OpenStore
from reverie.ports import Embedder, Env, MemoryType, Model
from reverie.records import AUTO, Hit, MemoryItem, Source, Trust, WriteEvent
from reverie.records.conversation_values import MAIN
from reverie.records.results import Assembled, BudgetStatus, Committed, Forgotten, Memorized, Rebuilt, Tracked
from reverie.settings import Settings, load_settings

if TYPE_CHECKING:
    from reverie.capture.observation_input import ObservationFields
    from reverie.compose.composer import ComposerConfig
    from reverie.continuum.orchestrator import ContinuumOrchestrator
    from reverie.maintenance.upkeep import Maintenance
    from reverie.pipeline.agent_turn import AgentTurn
    from reverie.pipeline.items import Items
    from reverie.pipeline.learnings import KnownLearnings, KnownSkills
    from reverie.pipeline.lookup import FilterInput
    from reverie.pipeline.turn_trace import Explanation
    from reverie.pipeline.users import Users
    from reverie.records.conversation_values import Converser, Tool
    from reverie.tasks.actions import Actions
    from reverie.tasks.goals import Goals
    from reverie.tools.domaindocs import DomaindocTool
    from reverie.tools.punchclock import PunchclockTool
    from reverie.tools.reminders import ReminderTool


class Memory:
    """A person's memory. Open it with `Memory.open()`; close it, or use it in a `with` block."""

    def __init__(self, parts: MemoryParts) -> None:
        self.parts = parts
        self.workspace: Workspace = parts.store.workspace
        self.env: Env = parts.store.env
        self.settings: Settings = parts.store.settings
        self.engine = parts.store.engine
        self.events: EventBus = parts.store.events
        self.at_close: dict[str, Callable[[], None]] = {}  # what else ends then, by name, such as a steward
        self._temporary: Path | None = None  # a folder that goes with the memory

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        user: str | None = None,
        env: Env | None = None,
        settings: Settings | None = None,
        catch_up: bool = True,
        read_only: bool = False,
        composer: "ComposerConfig | None" = None,
        embedder: Embedder | None = None,
        model: Model | None = None,
        tokenizer: Callable[[str], int] | None = None,
        events: EventBus | None = None,
    ) -> Self:
        """Open (or create) a memory in a folder; by default the one that `reverie` would use here. ":memory:" is a
        temporary folder, which goes when it is closed.

        Without a steward, what hooks left behind is taken in first (`catch_up`). Where there is no room for that, it
        waits, and what is there can be read. With `read_only` nothing is written, locked or taken in: for a folder that
        belongs to somebody else, or lies on a medium that cannot be written to. `composer` says how the sections of
        prompts are put together, instead of the settings. `embedder` and `model` are your own; the model is asked
        within the budget and at the prices of the settings. `tokenizer` counts the tokens of a text, for every budget
        of what an agent is given. `events` is a bus that several memories share.
        """
        env = env or RealEnv()
        temporary = Path(mkdtemp(prefix="reverie-")) if path == ":memory:" else None
        workspace = Workspace(temporary or _folder(path, env))
        settings = settings or load_settings(workspace, env)
        if model and settings.model.provider == "none":
            settings = replace(
                settings, model=replace(settings.model, provider="openai")
            )  # whichever: it is not connected to
        engine = open_engine(workspace.home, env, user or settings.user, settings.inbox, read_only=read_only)
        own = OwnParts(composer, embedder, model, tokenizer, follows_spool=catch_up and not read_only)
        parts = MemoryParts(OpenStore(workspace, env, settings, engine, events or EventBus()), own=own)
        if read_only:
            return cls(parts)
        memory = cls(parts)
        memory._temporary = temporary
        engine.claim(settings.user)
        parts.of(parts.profile.owner).profile.write_starters()
        make_spool(workspace.spool, env)
        # Only with an empty spool is it known whether a tool wrote into the file, or the person.
        if catch_up and parts.background.try_to_catch_up() and not parts.background.has_waiting():
            parts.profile.sync()
        return memory

    def close(self) -> None:
        while self.at_close:
            self.at_close.popitem()[1]()
        self.engine.close()
        if self._temporary:
            rmtree(self._temporary, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory of {self.engine.user!r} in {self.workspace.home}>"

    def of(self, user: str) -> "Memory":
        """Return the same store for another user."""
        return self if a_text(user, "a user") == self.engine.user else Memory(self.parts.of(user))

    def register(self, memory_type: MemoryType) -> None:
        """Add a memory type of one's own: it is asked for every context from now on."""
        self.parts.register(memory_type)

    # ---- the way in

    def observe(
        self,
        what: "str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]]",
        **fields: "Unpack[ObservationFields]",
    ) -> int:
        """Store one observation or many; return how many were new.

            memory.observe("I moved to Lisbon", speaker="Ana", session="chat-1", time="2026-03-01T10:00:00Z")
            memory.observe({"text": t, "speaker": s, "time": at} for t, s, at in conversation)
            memory.observe([{"role": "user", "content": "Which port?"}, {"role": "assistant", "content": "8080."}])

        Fields: text, kind, speaker, session, time, project, metadata, id, agent, task, or the role and content of a
        chat message; each loses its secrets. Each call with one is
        an event of its own, unless it repeats an id. Many are stored a thousand at a time, fewer if they are long, each
        such chunk whole or not at all; BulkStopped.stored says how many items are safely dealt with. Give the whole
        list again: what is in, with its id or time, is not added twice.
        """
        return self.parts.ingest.observe(what, cast(Mapping[str, Any], fields))

    def note(self, text: str, *, project: str = "", session: str = NOTES) -> str:
        """Remember this, because a person says so; return its id. When it returns, `search` finds it."""
        return self.parts.ingest.note(text, project=project, session=session)

    def memorize(
        self, item: str | MemoryItem, metadata: Mapping[str, Any] | None = None, *, store: str = AUTO, **fields: Any
    ) -> Memorized:
        """Remember this, as far as the gate allows; return where it went, why, and what had to go for it.

        memory.memorize("The staging port is 8080")
        memory.memorize("try the cache first", type="thought", task="fix-build")
        """
        return self.parts.turns.memorize(item, metadata, store=store, **fields)

    def explain_gate(self, text: str, **fields: Any) -> list[str]:
        """Say what would become of a text at the gate, and why; nothing is stored."""
        from reverie.pipeline.item_drafts import draft_of

        if fields.get("trust") in (Trust.PERSON, Trust.PERSON_FILE):
            fields.setdefault("source", Source.USER)  # as `memorize` has it when a person asks
        draft = draft_of(text, {}, fields, self.engine, self.env)
        return self.parts.item_writer.explain(WriteEvent(item=draft))

    # ---- the way out

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        filters: "FilterInput" = None,
        at: object = None,
        include: Sequence[str] = (),
        everything: bool = False,
    ) -> list[Hit]:
        """Return what is remembered about this, best first: one cheap line for each. `items` has the rest.

        Nothing, if nothing that is known fits (the setting `recall.floor`); with `everything` what comes nearest all
        the same, and also what only asks or agrees. `at` is the question's time, from which "yesterday" is measured;
        now, unless it is given. `include` names fields that are filled only when they are asked for: "embedding",
        "sparse_terms".
        """
        return self.parts.lookup.search(
            query, limit=limit, project=project, filters=filters, at=at, include=include, everything=everything
        )

    def context(
        self,
        project: str = "",
        session: str | None = None,
        *,
        only_news: bool = False,
        prompt: str = "",
        path: str = "",
    ) -> str:
        """Return what an agent in this project should know now: soul, user, learnings of the last 48 h, actions.

        With a session it is recorded what its agent has been shown, and `only_news` leaves that out. With a `prompt`:
        what memory knows about it, or nothing; with a `path`: which rules and decisions name that file.
        """
        self.parts.background.try_to_catch_up()
        if prompt or path:
            return self.parts.prompt_context.answer(prompt, path, project, session).confirmed()
        return self.parts.session_context.tell(project, session, only_news=only_news)

    # ---- an agent's turn

    def turn(
        self, *, session: str = "", agent: str = "", task: str = "", budget_seconds: float | None = None
    ) -> "AbstractContextManager[AgentTurn]":
        """Open a turn of an agent. Its end commits; an exception marks it as failed.

            with memory.turn(session="s1", agent="coder", task="fix-build") as turn:
                context = turn.assemble_context("why does the build fail?")

        Turns of several threads, asyncio tasks and agents run side by side. `get_budget_status` says how much of
        `budget_seconds` is left.
        """
        return self.parts.turns.turn(session=session, agent=agent, task=task, budget_seconds=budget_seconds)

    def assemble_context(
        self,
        prompt: str,
        budget: int = 2000,
        filters: "FilterInput" = None,
        *,
        session: str = "",
        task: str = "",
        agent: str = "",
        plan: str = "",
        at: object = None,
        include: Sequence[str] = (),
        everything: bool = False,
    ) -> Assembled:
        """Return what memory has to say to a prompt within a budget of tokens: the text to inject, and why.

        Every memory type is asked. Goals, open questions and pending actions widen the question a little. The text is
        empty if nothing that is known fits (`founded` and `reason` say how well), unless `everything` is asked for.
        """
        return self.parts.turns.assemble_context(
            prompt, budget, filters, session=session, task=task, agent=agent, plan=plan, at=at, include=include,
            everything=everything,
        )  # fmt: skip

    def track_tool_invocation(
        self,
        tool_name: str,
        parameters: Mapping[str, Any] | None = None,
        result: object = None,
        error: object = None,
        *,
        session: str = "",
        project: str = "",
        task: str = "",
    ) -> Tracked:
        """Log a tool call and its result: for recall, and for the skills that repeated calls make."""
        return self.parts.turns.track_tool_invocation(
            tool_name, parameters, result, error, session=session, project=project, task=task
        )

    def commit(self, progress: Mapping[str, float] | None = None) -> Committed:
        """End the turn, also in each session that was observed one by one since the last: it can be learned from.

        What was shown is counted, and `progress` of goals (0 to 1, by id) is written.
        """
        return self.parts.turns.commit(progress)

    def get_budget_status(self) -> BudgetStatus:
        """Return how much of the open turn's budget is used, and how full the memory types are."""
        return self.parts.turns.budget_status()

    def explain(self, turn: str = "") -> "Explanation":
        """Return what was asked, found, packed and why in a turn; the latest one, unless it is named."""
        return self.parts.traces.explain(a_text(turn or "", "a turn's id"))

    # ---- forgetting, handing out, deriving again

    def forget(self, scope: str, *, hard: bool = False, dry_run: bool = False) -> Forgotten:
        """Forget what a scope names: hidden and to be brought back (soft), or gone for good with every trace (hard).

        memory.forget("session:abc"), memory.forget("id:01H…", hard=True), memory.forget('text:"my pin"')

        What is gone for good by its words also goes from reminders, documents and the like: `beside` names it. With
        `dry_run` it is only said what would go.
        """
        return self.parts.eraser.forget(scope, hard=hard, dry_run=dry_run)

    def hidden(self, scope: str) -> list[MemoryItem]:
        """Return what of a scope was forgotten softly: `recover` brings it back by its ids."""
        return self.parts.eraser.hidden(scope)

    def recover(self, ids: Sequence[str]) -> int:
        """Bring back what was forgotten softly."""
        return self.parts.eraser.recover(self.parts.item_writer.whole_ids(ids))

    def export(self) -> Iterator[tuple[str, object]]:
        """Yield what came in, what was asked for and answered, learned and kept, as (table, record)."""
        from reverie.pipeline.export import export

        return export(self.engine)

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
        """Throw away what is derived and derive it again from the log, without asking a model."""
        turns, learnings = self.parts.maintenance.rebuild(progress)
        self.parts.profile.sync()
        return Rebuilt(turns, learnings)

    # ---- parts

    @property
    def items(self) -> "Items":
        """Memories one by one: list, get, update, delete, timeline, quarantine."""
        return self.parts.items

    @property
    def learnings(self) -> "KnownLearnings":
        """The learnings: list, get, search by kind."""
        return self.parts.learnings

    @property
    def skills(self) -> "KnownSkills":
        """Ways of working that were repeated and worked: list."""
        return self.parts.skills

    @property
    def users(self) -> "Users":
        """Everybody who has a memory in this store: list, delete."""
        return self.parts.users

    @property
    def actions(self) -> "Actions":
        return self.parts.actions

    @property
    def goals(self) -> "Goals":
        """Goals and open questions."""
        return self.parts.goals

    @property
    def reminders(self) -> "ReminderTool":
        return self.parts.toolset.reminders

    @property
    def punchclock(self) -> "PunchclockTool":
        return self.parts.toolset.punchclock

    @property
    def documents(self) -> "DomaindocTool":
        """Domain documents, edited by the person."""
        return self.parts.toolset.documents("user")

    @property
    def maintenance(self) -> "Maintenance":
        """Summaries, skills, merging, tuning: the slow work, which a steward does by itself."""
        return self.parts.maintenance

    def continuum(
        self, continuum_id: str = MAIN, *, converser: "Converser | None" = None, tools: "Sequence[Tool]" = ()
    ) -> "ContinuumOrchestrator":
        """Open a conversation where it was left: with the model that the settings name, or one of your own."""
        name = self.parts.store.clean_name(a_text(continuum_id, "the name of a conversation"))
        return self.parts.continuums.start(self.engine.user, name, converser, tools)


def _folder(path: str | Path | None, env: Env) -> Path:
    if path is None:
        path = find_home(env, Path.cwd())
    if not isinstance(path, str | Path):
        raise BadInput(f"a memory is opened by the path of its folder, not {type(path).__name__}")
    text = str(path)
    if not text.strip():
        raise BadInput('"" is not a folder; leave the path out for the workspace that `reverie` would use here')
    if text.startswith(("postgresql://", "postgres://")):
        raise BadInput("this Reverie keeps its record in a folder, not on a server; give one, such as ~/.reverie")
    text = f"file://{text[5:]}" if text.startswith("file:/") and not text.startswith("file://") else text
    if "://" in text and not text.startswith("file://"):
        raise BadInput(f"{text!r} is neither a folder nor a file:// address")
    folder = path_in(text) if text.startswith("file://") else expanded(text, env)
    check_name(folder)
    return folder
