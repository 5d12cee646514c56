"""Memory: the façade, and the table of contents of the program.

    absorb    what hooks spooled -> the log -> closed turns in the inbox
    distil    closed turns -> learnings, preferences in user.md, pending actions
    context   what an agent is told

Any process may open a memory, and write to it. One of them at a time is the steward (steward.py); without one, every
opener takes in what waits and distils by rules for a few milliseconds, so that nothing depends on a daemon.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reverie import mirrors
from reverie.bulk import BULK, chars_of, chunks
from reverie.capture.doors import a_text, again, captured
from reverie.capture.drain import DRAIN_WAIT_SECONDS, Drained, Enough, drain, has_waiting, make_spool
from reverie.capture.secrets import redact
from reverie.compose.context import Context, news, session_context
from reverie.continuum.doors import Doors
from reverie.distiller import Distiller
from reverie.engines import open_engine
from reverie.env import RealEnv
from reverie.errors import BadInput, BulkStopped, ReverieError, StoreFull
from reverie.events import LearningStored
from reverie.garbage import left_alone
from reverie.inbox.worker import Outcome
from reverie.orchestrator import Orchestrator
from reverie.ports import SCRUB, Engine, Env, Meanwhile
from reverie.records import (
    Action,
    ActionStatus,
    Captured,
    Kind,
    Learned,
    Learning,
    Session,
    Work,
)
from reverie.results import Committed
from reverie.settings import Settings, load_settings
from reverie.workspace import Workspace, check_name, expanded, find_home, path_in

if TYPE_CHECKING:
    from reverie.compose.composer import ComposerConfig
    from reverie.stores.compaction import Write
    from reverie.stores.voting import Voter

_MOST_OPEN = 1_000  # sessions that a commit ends; the turns of a program that never commits end by themselves
_OPENER_SECONDS = 0.05  # what an opener without a steward gives to distilling
_OPENER_TURNS = 25  # between two looks at the clock
_NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild derived anew."""

    turns: int
    learnings: int


class Memory(Orchestrator, Doors):
    """A person's memory. Open it with `Memory.open()`; close it, or use it in a `with` block."""

    composer: "ComposerConfig | None" = None  # how the sections of prompts are put together; None: as the settings say

    def __init__(self, workspace: Workspace, env: Env, settings: Settings, engine: Engine) -> None:
        super().__init__(engine, env, settings, self._own_soul)
        self.workspace = workspace
        self.engine: Engine = engine
        self._distiller = Distiller(engine, env, settings, self._permitted, self._tell_learned)
        self._others: dict[str, Memory] = {}
        self.opened = self
        self._end_steward: Callable[[], None] | None = None
        self._open_in: dict[str, None] = {}  # the sessions that were observed since the last `commit`
        self.hindrance = ""  # why what waits could not be taken in, when that was last tried
        self.user_file = mirrors.UserFile(workspace, env, engine, self._note_from_file, redact)

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        user: str | None = None,
        env: Env | None = None,
        settings: Settings | None = None,
        composer: "ComposerConfig | None" = None,
        catch_up: bool = True,
        read_only: bool = False,
    ) -> Self:
        """Open (or create) a memory in a folder; by default the one that `reverie` would use here.

        Without a steward, what hooks left behind is taken in first (`catch_up`). Where there is no room for that, it
        waits, `hindrance` says why, and what is there can be read. With `read_only` nothing is written, locked or taken
        in: for a folder that belongs to somebody else, or lies on a medium that cannot be written to.
        `composer` says how the sections of prompts are put together, instead of the settings.
        """
        env = env or RealEnv()
        workspace = Workspace(_folder(path, env))
        settings = settings or load_settings(workspace, env)
        engine = open_engine(workspace.home, env, user or settings.user, settings.inbox, read_only=read_only)
        if not read_only:
            engine.claim(settings.user)
        memory = cls(workspace, env, settings, engine)
        memory.composer = composer
        if read_only:
            return memory
        memory.of(memory.owner).user_file.write_starters()
        make_spool(workspace.spool, env)
        # Only with an empty spool is it known whether a tool wrote into the file, or the person.
        if catch_up and memory.catch_up_if_possible() and not has_waiting(workspace.spool, env):
            memory.show_preferences()
        return memory

    @property
    def is_read_only(self) -> bool:
        return self.engine.is_read_only

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_steward(self) -> bool:
        """Drain, distil and tidy in a thread of this process, until `close`. False if another process does already."""
        from reverie.steward import start_in_thread

        if self._end_steward is None:
            self._end_steward = start_in_thread(self.workspace, self.env, self.settings)
        return self._end_steward is not None

    def close(self) -> None:
        if self._end_steward:
            self._end_steward()
            self._end_steward = None
        self.engine.close()

    def _tell_learned(self, added: Iterable[Learned]) -> None:
        for learned in added:
            self.events.publish(LearningStored(learned))

    # ---- the way in

    def observe(self, what: str | Mapping[str, Any] | Iterable[Mapping[str, Any]], **fields: Any) -> int:
        """Store one observation or many; returns how many were new.

            memory.observe("I moved to Lisbon", speaker="Ana", session="chat-1", time="2026-03-01T10:00:00Z")
            memory.observe({"text": t, "speaker": s, "time": at} for t, s, at in conversation)

        Fields: text, kind, speaker, session, time, project, metadata, id; each loses its secrets. Each call with one is
        an event of its own, unless it repeats an id. Many are stored a thousand at a time, fewer if they are long, each
        such chunk whole or not at all; BulkStopped.stored says how many items are safely dealt with. Give the whole
        list again: what is in, with its id or time, is not added twice.
        """
        if isinstance(what, str):
            what = {"text": what, **fields}
            fields = {}
        if isinstance(what, Mapping):
            one = self._captured({**what, **fields})
            self._open_in[one.session] = None
            if len(self._open_in) > _MOST_OPEN:
                del self._open_in[next(iter(self._open_in))]
            return self.store([one])
        if not isinstance(what, Iterable):
            raise BadInput(f"observe takes a text, a mapping or many of them, not {type(what).__name__}")
        return self._observe_many(what, fields)

    def commit(self, progress: Mapping[str, float] | None = None) -> Committed:
        """The turn is over, also in each session that was observed, one by one, since the last: it can be learned from.

        What was shown is counted, `progress` of goals (0 to 1, by id) is written, and what was written is handed on.
        """
        done = super().commit(progress)
        for session in list(self._open_in):
            self.engine.log.close_turn(session)
            self._open_in.pop(session, None)
        return done

    def _observe_many(self, items: Iterable[Mapping[str, Any]], common: Mapping[str, Any]) -> int:
        """A chunk at a time. Whatever ends it early, also in the caller's own iterator, says how many are in."""
        new = seen = 0
        times_said: dict[int, int] = {}  # how often the same words at the same time came before, by hash

        def captures() -> Iterator[Captured]:
            for number, item in enumerate(items):
                try:
                    yield self._in_bulk(item, common, times_said)
                except BadInput as error:
                    raise BadInput(f"item {number}: {error}") from error

        try:
            for chunk in chunks(captures(), chars_of):
                new += self.store(chunk)
                seen += len(chunk)
        except Exception as error:
            why = str(error) if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
            raise BulkStopped(f"stopped after {seen} items: {why}", seen) from error
        return new

    def _in_bulk(self, item: object, common: Mapping[str, Any], times_said: dict[int, int]) -> Captured:
        """One of many. Two that look alike in one call are two: it was said twice. In a later call they are repeats."""
        if not isinstance(item, Mapping):
            raise BadInput(f"an observation is a mapping with a text, not {type(item).__name__}")
        one = captured({**common, **item}, self.env.now_ms(), self.engine.mark)
        if one.event_id.startswith("id:"):
            return one
        place = hash((one.session, one.event_id))
        times_said[place] = number = times_said.get(place, 0) + 1
        return one if number == 1 else again(one, number)

    def store(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> int:
        """Put captured events into the log, all or none; returns how many were new."""
        return sum(one is not None for one in self._append(captures, drained, meanwhile))

    def note(self, text: str, *, project: str = "", session: str = _NOTES) -> str:
        """Remember this, because a person says so. When it returns, `search` finds it."""
        if not a_text(text, "a note").strip():
            raise BadInput("a note needs some text")
        fields = {"text": text, "kind": Kind.NOTE, "speaker": "user", "session": session, "project": project}
        noted = self._captured(fields)
        if noted.kind is not Kind.NOTE:
            raise BadInput("a note needs words of your own; all of this stands in tags that a coding agent writes")
        return self.keep(noted).id

    def _note_from_file(self, text: str) -> None:
        """A line that a person wrote into user.md."""
        fields = {"text": text, "kind": Kind.NOTE, "speaker": "user", "session": "user.md"}
        self.store([replace(self._captured(fields), source="file")])

    def _captured(self, fields: Mapping[str, Any]) -> Captured:
        """What one call says, which is no other's, however alike they are and however coarse the clock is."""
        return captured(fields, self.env.now_ms(), self.engine.mark, self.env.random_bytes(8))

    def absorb(
        self,
        enough: Enough = lambda: False,
        *,
        foresee: bool = False,
        wait_seconds: float = DRAIN_WAIT_SECONDS,
        after_each: Callable[[], None] = lambda: None,
    ) -> Drained:
        """Take in what hooks have spooled, until that is `enough`, and close the turns whose end has come.

        Who distils those turns too, after each chunk, may `foresee` what the rules find in them, while they are
        written. Another one who does the same is waited for as long as `wait_seconds` says. It is the record of the
        user that the settings name: hooks know no other, whoever has opened this memory.
        """
        if self.engine.user != self.settings.user:
            hooks = self.of(self.settings.user)
            return hooks.absorb(enough, foresee=foresee, wait_seconds=wait_seconds, after_each=after_each)

        def store(captures: Sequence[Captured], drained: Mapping[str, int]) -> None:
            self.store(captures, drained, self._distiller.foresee if foresee else None)
            self.engine.shorten_log(as_steward=True)  # whoever takes in is the steward, or works in its place
            after_each()

        with left_alone():
            spool, known = self.workspace.spool, self.engine.log.drained
            drained = drain(spool, self.env, store, known, enough, wait_seconds=wait_seconds)
        self.engine.log.end_silent_sessions(self.env.now_ms())
        self.engine.log.close_due_turns(self.env.now_ms())
        return drained

    def of(self, user: str) -> "Memory":
        """The same store, for another user. Asked again, the same memory with the index that it has loaded."""
        if a_text(user, "a user") == self.engine.user:
            return self
        if user not in self._others:
            self._others[user] = Memory(self.workspace, self.env, self.settings, self.engine.scoped(user))
            self._others[user].opened = self.opened
            for memory_type in self._registered:
                self._others[user].register(memory_type)
        return self._others[user]

    def distil(self, enough: Enough = lambda: False, at_once: int | None = None) -> Outcome:
        """Work off closed turns by rules, so many at once, for as long as there are any or until that is `enough`."""
        outcome = self._distiller.distil(enough, at_once)
        if outcome.done:
            self.show_preferences()
        return outcome

    @property
    def asks_models(self) -> bool:
        """Whether a model may be asked at all. By default none is: the budget is 0."""
        return self.settings.model.may_be_asked

    @property
    def model_backoff_seconds(self) -> float:
        """How long to wait before a model is asked again."""
        return self._distiller.model_backoff_seconds

    def ask_model(self, limit: int = 1) -> Outcome:
        """Let a model look at turns that the rules have seen, within the budget."""
        outcome = self._distiller.ask_model(limit)
        if outcome.done:
            self.show_preferences()
        return outcome

    def _summary_writer(self) -> "Write | None":
        if not self.asks_models:
            return None
        from reverie.distil.reply import looks_like_refusal
        from reverie.stores.summaries import with_model

        ask = self._distiller.ask_for("compaction")
        return lambda items, limit: with_model(items, limit, ask, looks_like_refusal)

    def _link_voter(self) -> "Voter | None":
        if not self.asks_models:
            return None
        from reverie.stores.voting import vote

        return partial(vote, ask=self._distiller.ask_for("compaction"))

    def catch_up(self, distil_seconds: float = _OPENER_SECONDS, wait_seconds: float | None = 0.0) -> bool:
        """What happens when no steward runs: take in what waits, distil for a moment, keep the file short.

        Somebody else who is at it is waited for as long as `wait_seconds` says, with None until it is done. False if it
        still was: it may be past what came in last.
        """
        lock = self.env.files.lock(self.workspace.steward_lock)
        if not lock.acquire(wait_seconds):
            return False
        try:
            self.env.files.truncate(self.workspace.steward_lock)  # nobody is to take us for the steward that was
            self.engine.inbox.release_all()
            self.absorb()
            if distil_seconds:
                self.distil(_time_limit(self.env, distil_seconds), _OPENER_TURNS)
            self.finish_erasures()
        finally:
            lock.release()
        self.engine.shorten_log(as_steward=False)
        return True

    def finish_erasures(self) -> None:
        """Do what is owed for what users of this store have forgotten for good, as far as that can be done now."""
        for user in self.engine.debtors(SCRUB):
            self.of(user).finish_forgetting()

    def catch_up_if_possible(self) -> bool:
        """Take in what waits, unless the disk is full or may not be written to: who only reads can go on then."""
        self.hindrance = ""
        try:
            self.catch_up()
        except (StoreFull, OSError) as error:
            self.hindrance = f"what waits is not taken in yet: {error}"
        return not self.hindrance

    # ---- the way out

    def context(self, project: str = "", session: str | None = None, *, only_news: bool = False) -> str:
        """What an agent in this project should know now: soul, user, learnings of the last 48 h, pending actions.

        With a session it is noted what its agent has been shown, and `only_news` leaves that out.
        """
        self.catch_up_if_possible()
        return self._tell_session(project, self._running(session), only_news)

    def telling(self, project: str, session: str, *, only_news: bool) -> Callable[[], str]:
        """What `context` says, to be asked for at once and again when more is known. What is news is decided now."""
        return partial(self._tell_session, project, self._running(session), only_news)

    def _tell_session(self, project: str, session: Session | None, only_news: bool) -> str:
        context = self._context_for(project, session, only_news)
        if session and (shown := context.shown | {_SEEN}) != session.shown:
            self.engine.log.note_injection(session.id, shown)
        return context.text

    def preview_context(self, project: str = "", session: str | None = None, *, only_news: bool = False) -> str:
        """What `context` says, for a person to look at: nothing is noted, and nothing taken in first."""
        return self._context_for(project, self._running(session), only_news=only_news).text

    def _running(self, session: str | None) -> Session | None:
        return self.engine.log.session(self.kept_name(session)) if session else None

    def _context_for(self, project: str, session: Session | None, only_news: bool) -> Context:
        project, settings = self.kept_name(project), self.settings.context
        since = self.env.now_ms() - int(settings.learning_hours * 3_600_000)
        learnings = self.engine.learnings.recent(since, project)
        # What a person wants everywhere stands in user.md; what they want in this project is told here, however old.
        known = {it.id for it in learnings}
        learnings += [it for it in self.engine.learnings.preferences(project) if project and it.id not in known]
        actions = self.engine.actions.pending(project)
        if only_news and session and session.shown:
            return news(learnings, actions, session.shown, settings)
        return self._whole_context(learnings, actions)

    def _whole_context(self, learnings: Sequence[Learned], actions: Sequence[Action]) -> Context:
        user = self.told_of_person()
        in_file = set(user.splitlines())
        fresh = [it for it in learnings if mirrors.bullet(it.text) not in in_file]
        context = session_context(self.told_of_soul(), user, fresh, actions, self.settings.context)
        return Context(context.text, context.shown | {it.id for it in learnings})

    @property
    def owner(self) -> str:
        """Whose workspace it is: the setting `user` of whoever made it. The files for people are theirs."""
        return self.engine.owner() or self.settings.user

    @property
    def is_owner(self) -> bool:
        """Whether this memory is that of the person whose workspace it is."""
        return self.engine.user == self.owner

    @property
    def owner_news(self) -> str:
        """Who was written down as the owner of a store that had none, until the person has been told; "" afterwards."""
        if not self.engine.owner_is_news():
            return ""
        stays = "that stays so, whatever the setting user says later"
        return (
            f"user.md, soul.md and the other files in {self.workspace.home} belong to the user {self.owner!r}: {stays}"
        )

    def told_of_person(self) -> str:
        """What agents are told of the person: the owner's user.md; of another user, the preferences in the record."""
        return self.user_file.trusted() if self.is_owner else self.user_file.from_record()

    def told_of_soul(self) -> str:
        """What agents are told of how to behave: the owner's soul.md; for another user, what a soul begins with."""
        return self.read_file(self.workspace.soul) if self.is_owner else mirrors.STARTER_SOUL

    def _permitted(self, learnings: Sequence[Learning]) -> list[Learning | None]:
        from reverie.orchestrator.permitting import permitted

        return permitted(learnings, self.settings.privacy, self._own_soul())

    def _own_soul(self) -> str:
        return self.read_file(self.workspace.soul) if self.is_owner else ""

    def read_file(self, path: Path) -> str:
        return mirrors.text_of(self.env.files.read(path) or b"")

    def actions(self, project: str | None = None) -> list[Action]:
        """What is to be done later, most pressing first."""
        return self.engine.actions.pending(None if project is None else self.kept_name(project))

    def close_action(self, action_id: str, status: ActionStatus = ActionStatus.DONE, by: str = "agent") -> Action:
        """Say that an action is done, or dismiss it.

        An agent cannot complete a user's action; a person says `by="user"`.
        """
        action_id, now = a_text(action_id, "an action's id"), self.env.now_ms()
        with self.engine.write():
            action = self.engine.actions.set_status(action_id, status, by, "", now)
            self.engine.log.act(status.value, action_id, {"by": by}, now)
        return action

    def _before_erasing(self) -> None:
        from reverie.continuum.forgetting import owe_clearing

        owe_clearing(self)

    def _learn_again(self, works: Sequence[Work]) -> None:
        self._distiller.learn_again(works)

    def _clear_files(self) -> tuple[str, ...]:
        from reverie.continuum.collapse import tell_again

        if "continuums" in vars(self.opened):
            self.opened.continuums.forget(self.engine.user)
        problems = []
        for duty in (self.show_preferences, partial(tell_again, self)):
            try:  # what is gone is gone: one that fails keeps no other from being done
                duty()
            except (ReverieError, OSError) as error:
                problems.append(f"{error}; it is tried again when the memory is opened next")
        leftover = self.user_file.leftover() if self.is_owner else ""
        return (*problems, leftover) if leftover else tuple(problems)

    def _clear_elsewhere(self) -> tuple[str, ...]:
        from reverie.continuum.forgetting import clear_elsewhere

        problem = clear_elsewhere(self)
        return (problem,) if problem else ()

    def show_preferences(self) -> None:
        """Bring user.md up to date, and take in what the person changed there."""
        if self.is_owner:
            self.user_file.sync()

    def export(self) -> Iterator[tuple[str, object]]:
        """What came in, what was asked for and answered, learned and kept, as (table, record), each table in order.

        What follows from that is left out: items, their index and summaries. So is what only tells of the past:
        traces, spending and earlier versions of documents.
        """
        after = 0
        while chunk := self.engine.log.read(after=after, limit=BULK):
            yield from (("observations", observation) for observation in chunk)
            after = chunk[-1].position
        for position, kind, target, data in self.engine.log.acts():
            yield "acts", {"position": position, "kind": kind, "target": target, "data": data}
        yield from (("replies", reply) for reply in self.engine.replies.all())
        yield from (("ticks", tick) for tick in self.engine.history.ticks())
        yield from (("learnings", learned) for learned in self.engine.learnings.all())
        yield from (("pending_actions", action) for action in self.engine.actions.all())
        yield from (("sessions", session) for session in self.engine.log.sessions(limit=1_000_000))
        yield from (("goals", goal) for goal in self.engine.goals.goals(everything=True))
        yield from (("questions", question) for question in self.engine.goals.questions(everything=True))
        yield from (("reminders", reminder) for reminder in self.engine.reminders.all(None))
        yield from (("punchclock", punch) for punch in self.engine.punches.all())
        yield from (("domaindocs", document) for document in self.engine.documents.all())
        yield from (("segments", segment) for segment in self.engine.conversations.all_segments())
        yield from (("set_aside", row) for row in self.engine.set_aside())

    # ---- derived anew

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
        """Throw away what is derived and derive it again from the log, without asking a model."""
        erasures = self.engine.erasures()
        seen = self._distiller.look_again(progress)
        with self.engine.write():
            if self.engine.erasures() != erasures:
                seen = {}  # what was forgotten meanwhile is not to come back
            turns, learnings = self._distiller.distil_again(seen)
            self.keeping.derive_again(captured=True, progress=progress)
            self.engine.refuse_damaged_log()
        self.show_preferences()
        return Rebuilt(turns, learnings)


# Marks a session whose agent has been given the whole context, even if that showed nothing.
_SEEN = "-"


def _time_limit(env: Env, seconds: float) -> Enough:
    """Whether the time is over, counted from when it is first asked: loading the rules takes longer than using them."""
    until = 0.0

    def is_over() -> bool:
        nonlocal until
        until = until or env.monotonic() + seconds
        return env.monotonic() >= until

    return is_over


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
