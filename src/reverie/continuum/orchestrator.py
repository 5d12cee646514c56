"""One turn of a conversation: user message -> recall -> compose -> model with tools -> reply -> commit.

Whatever goes wrong on the way, what was said is in the log, and the turn ends: a model that fails, a tool that hangs
and a person who interrupts cost the reply at most.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any, Literal

from reverie.compose.composer import Composed
from reverie.compose.trinkets.manifest import MANIFEST_SEGMENTS
from reverie.compose.working_memory import WorkingMemory
from reverie.continuum.base_prompt import base_prompt
from reverie.continuum.cache_ledger import CacheLedger
from reverie.continuum.collapse import collapse
from reverie.continuum.conversation_lock import conversation_lock
from reverie.continuum.dependencies import UserParts
from reverie.continuum.mentioned_memories import mentioned
from reverie.continuum.message_log import Outdated, as_shown, keep_said, said_in
from reverie.continuum.model import hearing, patient
from reverie.continuum.offline import NAME as OFFLINE
from reverie.continuum.offline import OfflineConverser
from reverie.continuum.segment_opening import opening
from reverie.continuum.segments import Segments
from reverie.continuum.surfaced_memories import surface
from reverie.continuum.tool_calls import answer_of
from reverie.continuum.toolset import documents_tool
from reverie.errors import BadInput, ModelUnavailable
from reverie.events import (
    EventBus,
    ManifestUpdatedEvent,
    SegmentCollapsedEvent,
    SegmentTimeoutEvent,
    TurnCompletedEvent,
)
from reverie.records import ToolUse
from reverie.records.conversation_values import (
    Converser,
    LedgerEntry,
    Message,
    Moment,
    Request,
    Role,
    Said,
    Segment,
    SegmentState,
    ToolCall,
)
from reverie.records.prompt_inputs import Surfaced
from reverie.redact.secrets import redact_json
from reverie.tools.context_search import SEARCH_SECONDS, ContextSearchTool
from reverie.tools.toolbox import ToolBox

RETRY_MINUTES = 5.0  # after a collapse that failed
MESSAGE_CHARS = 40_000  # of one message or tool result that the model is shown; the log keeps it whole
WAIT_SECONDS = 30.0  # for another process that talks in the same conversation

End = Literal["done", "cancelled", "limit", "stopped", "offline", "failed"]


@dataclass(frozen=True, slots=True)
class ContinuumState:
    """The state of a conversation, as a TurnCompletedEvent carries it."""

    continuum_id: str
    segment: Segment
    turn_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """The reply to one message, and the prompt and segment it came from."""

    text: str
    end: End
    turn_number: int
    segment_id: str
    composed: Composed
    trace: str = ""  # what `explain` is asked for
    surfaced: tuple[Surfaced, ...] = ()
    mentioned: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    problem: str = ""
    may_retry: bool = False  # whether asking again may help


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationParts:
    """The parts of a conversation: shared by all (bus, working memory), or its user's own (the rest)."""

    bus: EventBus
    working_memory: WorkingMemory
    tools: ToolBox
    searches: ContextSearchTool
    zone: tzinfo
    cache_ledger: CacheLedger
    new_id: Callable[[int], str]
    begin: Callable[["ContinuumOrchestrator"], None]  # says that this one of a user's conversations goes on now


@dataclass(slots=True)
class _Turn:
    """The turn that runs."""

    number: int
    segment: Segment
    composed: Composed
    erasures: int  # when it began
    tools_used: list[str] = field(default_factory=list)
    ledger: list[LedgerEntry] = field(default_factory=list)


class ContinuumOrchestrator:
    """One conversation of one user, as it runs."""

    def __init__(
        self,
        user_parts: UserParts,
        parts: ConversationParts,
        continuum_id: str,
        converser_for: Callable[[str], Converser] | None,
    ) -> None:
        """`converser_for` gives the model for a segment; without one the conversation is offline."""
        self.user_parts = user_parts
        self.store = store = user_parts.store
        self.continuum_id = continuum_id
        self.working_memory = parts.working_memory
        self.events = parts.bus
        self.tools = parts.tools
        self.searches = parts.searches
        self.zone = parts.zone
        self.is_offline = converser_for is None
        offline = OfflineConverser(lambda: self.surfaced, parts.zone)
        self._converser_for = converser_for or (lambda _: offline)
        self._cache_ledger = parts.cache_ledger
        self._begin = parts.begin
        self.surfaced: tuple[Surfaced, ...] = ()
        # Only this store can make it: what is pasted into a message cannot pass for what stands behind the mark.
        self.key = store.engine.derived_id(0, "mark", continuum_id)[-8:]
        self.base_prompt = base_prompt(self.key, has_tail=store.settings.compose.volatile == "tail")
        self.segments = Segments(store.engine.conversations, continuum_id, store.settings.continuum, parts.new_id)
        self._segment_id = ""  # that the trinkets know of
        self._problem_ms: int | None = None  # when a collapse failed last

    # ---- one turn

    def send(
        self,
        text: str,
        on_text: Callable[[str], None] = lambda _: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> TurnResult:
        """Say something, and get the reply. What is said is in the log before anything else happens."""
        if not isinstance(text, str) or not text.strip():
            raise BadInput("a message needs some text")
        with self._alone():
            return self._send(text, on_text, is_cancelled)

    def _send(self, text: str, on_text: Callable[[str], None], is_cancelled: Callable[[], bool]) -> TurnResult:
        # 1. What is said has its place in the log and in the conversation.
        segment = self._current_segment()
        number = self.store.engine.conversations.last_turn(self.continuum_id) + 1
        erasures = self.store.engine.erasures()
        asked = keep_said(self.user_parts, segment, number, Role.USER, text)
        segment = self.segments.continued(segment, self.store.env.now_ms(), number)
        # 2. Memories come up for it, and the prompt is composed.
        surfaced, assembled = surface(self.user_parts, asked, has_history=not self.is_offline)
        self._hand_over(surfaced)
        turn = _Turn(number, segment, self._compose(segment, number), erasures)
        # 3. The model answers, with tools. Whatever it said before it failed was said.
        heard: list[str] = []
        end: End
        problem: Exception | None = None
        try:
            said, end = self._converse(turn, hearing(heard, on_text), is_cancelled)
            if self.store.engine.erasures() != erasures:
                raise Outdated("something was forgotten for good meanwhile; the reply is not kept, ask again")
        except Exception as error:  # a model may be a stranger's code, and its failure must not cost the turn
            said, end, problem = Said(text="".join(heard), model=""), "failed", error
        # 4. The reply is kept, what was used is counted, and everybody is told.
        used = mentioned(said.text, surfaced, asked.text) if end != "offline" else []
        self._finish(turn, said, end, used)
        return TurnResult(
            text=said.text,
            end=end,
            turn_number=number,
            segment_id=segment.id,
            composed=turn.composed,
            trace=assembled.turn,
            surfaced=tuple(surfaced),
            mentioned=tuple(used),
            tools_used=tuple(turn.tools_used),
            ledger=tuple(turn.ledger),
            problem="" if problem is None else str(problem) or type(problem).__name__,
            may_retry=isinstance(problem, ModelUnavailable | Outdated),
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with conversation_lock(self.store, self.continuum_id, WAIT_SECONDS), self.user_parts.turns.in_new_turn():
            self._begin(self)
            yield

    def _hand_over(self, surfaced: Sequence[Surfaced]) -> None:
        self.surfaced = tuple(surfaced)
        self.working_memory.publish_trinket_update(
            "ProactiveMemoryTrinket",
            {"memories": self.surfaced},
            user_id=self.store.engine.user,
            continuum_id=self.continuum_id,
        )

    def _compose(self, segment: Segment | None, number: int) -> Composed:
        return self.working_memory.compose(
            self.store.engine.user,
            self.base_prompt,
            continuum_id=self.continuum_id,
            segment_id=segment.id if segment else "",
            turn_number=number,
        )

    def _converse(
        self, turn: _Turn, on_text: Callable[[str], None], is_cancelled: Callable[[], bool]
    ) -> tuple[Said, End]:
        """Ask the model, do what it asks for, and ask again, a bounded number of times."""
        for number in range(1, self.store.settings.continuum.tool_rounds + 1):
            said = self._ask(turn, number, on_text, is_cancelled)
            if said.end == "cancelled" or is_cancelled():
                return said, "cancelled"
            if not said.tool_calls:
                return said, "offline" if said.model == OFFLINE else "limit" if said.end == "limit" else "done"
            calls = tuple(replace(call, input=redact_json(call.input)) for call in said.tool_calls)
            self._keep(turn, Role.ASSISTANT, said.text, calls=calls)
            for call in said.tool_calls:
                if is_cancelled():
                    return replace(said, text="", tool_calls=()), "cancelled"
                if self.store.engine.erasures() != turn.erasures:  # it may be about what is to be gone
                    raise Outdated("something was forgotten for good meanwhile; its tools are not run, ask again")
                self._run_tool(turn, call, is_cancelled)
        return Said(text="", model=""), "stopped"

    def _ask(self, turn: _Turn, number: int, on_text: Callable[[str], None], is_cancelled: Callable[[], bool]) -> Said:
        converser = self._converser_for(turn.segment.id)
        request = self.request(turn.composed, turn.segment)
        if self.is_offline:  # nothing is sent, so nothing is billed
            return converser.converse(request, on_text, is_cancelled)
        sections = [(one.name, one.content) for one in turn.composed.sections]
        charge = self._cache_ledger.charge(request, sections, turn.segment, turn.number, number, converser.name)
        said = patient(converser, request, on_text, is_cancelled, self.store.env.sleep)
        turn.ledger.append(self._cache_ledger.keep(charge, said))
        return said

    def request(self, composed: Composed, segment: Segment) -> Request:
        """Build the request: the cached prefix, the history, and after it what is true only now."""
        return Request(
            cached=composed.cached_content,
            system=composed.system_content,
            tail=composed.tail,
            tools=self.tools.definitions(self.continuum_id),
            messages=(*self._opening(segment), *self._messages(segment)),
            max_output_tokens=self.store.settings.continuum.max_output_tokens,
        )

    def _messages(self, segment: Segment) -> list[Message]:
        return [as_shown(one, MESSAGE_CHARS) for one in said_in(self.store, segment)]

    def _opening(self, segment: Segment) -> tuple[Message, ...]:
        earlier = [one for one in self.segments.recent(MANIFEST_SEGMENTS) if one.id != segment.id]
        before = self._messages(earlier[-1]) if earlier else []
        return opening(segment, earlier, before, self.zone, self.key)

    # ---- tools

    def _run_tool(self, turn: _Turn, call: ToolCall, is_cancelled: Callable[[], bool]) -> None:
        """Run one tool and keep what it answered: the model is told, and the turn goes on."""
        moment = Moment(self.store.env.now_ms(), self.continuum_id, turn.segment.id, turn.number)
        before = self._loaded()
        seconds = self.store.settings.continuum.tool_seconds
        text, failed = answer_of(self.tools, call, moment, seconds, is_cancelled)
        turn.tools_used.append(call.name)
        if (
            call.name not in before
        ):  # it asks for what it was not given: lend it everything, so that it sees what there is
            self.tools.fallback(self.continuum_id, turn.number)
            self._tell_loader("fallback_mode", call.name)
            text += " All tools are lent to you for this turn; their definitions are here now."
        self._tell_loader("tool_used", call.name)
        for name in self._loaded():
            if name not in before and call.name in before:
                self._tell_loader("tool_loaded", name)
        tool = ToolUse(call.name, redact_json(call.input), failed=failed)
        self._keep(turn, Role.TOOL, text, tool=tool, call_id=call.id)

    def _loaded(self) -> list[str]:
        return [tool.name for tool in self.tools.state(self.continuum_id).loaded]

    def _tell_loader(self, action: str, name: str) -> None:
        self.working_memory.publish_trinket_update(
            "ToolLoaderTrinket",
            {"action": action, "tool_name": name},
            user_id=self.store.engine.user,
            continuum_id=self.continuum_id,
        )

    def _keep(self, turn: _Turn, role: Role, text: str, **fields: Any) -> None:
        keep_said(self.user_parts, turn.segment, turn.number, role, text, erasures=turn.erasures, **fields)

    # ---- the end of a turn

    def _finish(self, turn: _Turn, said: Said, end: End, used: Sequence[str]) -> None:
        """Keep the reply, count what was used, and tell everybody. Our own quotations are not remembered again."""
        if said.text.strip() and end != "offline":
            with suppress(Outdated):
                self._keep(turn, Role.ASSISTANT, said.text, metadata={"end": end} if end != "done" else {})
        committed = self.user_parts.turns.commit()
        if used:
            self.user_parts.maintenance.mark_useful(committed.turn, used)
        segment = self.segments.continued(turn.segment, self.store.env.now_ms(), turn.number, turn.tools_used)
        self.store.engine.log.close_turn(segment.id)
        state = ContinuumState(self.continuum_id, segment, turn.number)
        self._publish(TurnCompletedEvent, turn_number=turn.number, continuum=state)

    # ---- segments

    def _current_segment(self) -> Segment:
        """The segment that the next message belongs to. One that was silent for too long is collapsed first."""
        now = self.store.env.now_ms()
        segment = self.segments.open()
        if segment and self.segments.is_over(segment, now) and self._may_try(now):
            self._publish(SegmentTimeoutEvent, segment_id=segment.id)
            done = self._collapse(segment)
            segment = None if done.state is SegmentState.COLLAPSED else done
        if segment is None:
            segment = self.segments.begin(now)
        if self._segment_id and segment.id != self._segment_id:
            self._tell_collapsed(self._segment_id)  # also when another process collapsed it
        self._segment_id = segment.id
        return segment

    def _may_try(self, now: int) -> bool:
        """A collapse that failed is tried again after a while, not at every message."""
        wait_ms = RETRY_MINUTES * 60_000
        return self._problem_ms is None or now - self._problem_ms >= wait_ms

    def collapse(self) -> Segment | None:
        """Collapse the open segment now, because somebody asks for it; None if there is none."""
        with self._alone():
            segment = self.segments.open()
            if segment is None:
                return None
            done = self._collapse(segment)
            if done.state is SegmentState.COLLAPSED:
                self._tell_collapsed(done.id)
                self._segment_id = ""
            return done

    def pause(self) -> Segment | None:
        with self._alone():
            segment = self.segments.open()
            return self.segments.pause(segment) if segment else None

    def _collapse(self, segment: Segment) -> Segment:
        self._segment_id = self._segment_id or segment.id
        done = collapse(self.user_parts, segment)
        self._problem_ms = self.store.env.now_ms() if done.problem else None
        return done

    def _tell_collapsed(self, segment_id: str) -> None:
        segment = self.store.engine.conversations.segment(segment_id)
        if segment is None:
            return
        self.surfaced = ()
        self.searches.forget_segment(segment_id)
        documents_tool(self.store, "user").to_defaults()
        self._publish(SegmentCollapsedEvent, segment_id=segment_id, summary=segment.summary,
                      tools_used=segment.tools_used)  # fmt: skip
        count = len(self.segments.recent(MANIFEST_SEGMENTS))
        self._publish(ManifestUpdatedEvent, segment_count=count)

    def _publish(self, kind: Callable[..., object], **fields: object) -> None:
        user, now = self.store.engine.user, self.store.env.now_ms()
        event = kind(user_id=user, continuum_id=self.continuum_id, occurred_at=now, **fields)
        self.events.publish(event)
        if self.store.events is not self.events:  # the memory of a user who is not the one that opened the store
            self.store.events.publish(event)

    def close(self) -> None:
        """Before the process ends: wait for searches that run beside the conversation, and take their results in."""
        self.searches.wait(SEARCH_SECONDS, self.moment())

    # ---- to look at

    @property
    def last_composed(self) -> Composed | None:
        """The prompt of the last turn, as it was sent."""
        return self.working_memory.last_composed(self.store.engine.user, self.continuum_id)

    def moment(self) -> Moment:
        """Now, in this conversation."""
        turn = self.store.engine.conversations.last_turn(self.continuum_id)
        return Moment(self.store.env.now_ms(), self.continuum_id, self._segment_id, turn)

    def preview(self, text: str = "") -> Composed:
        """The prompt as it would be composed now; with a text, as if that were said."""
        self._begin(self)
        segment = self.segments.open()
        if text.strip():
            asked = Message(role=Role.USER, text=text, segment_id=segment.id if segment else "")
            with self.user_parts.turns.in_new_turn():
                self._hand_over(surface(self.user_parts, asked, has_history=not self.is_offline)[0])
        return self._compose(segment, self.store.engine.conversations.last_turn(self.continuum_id) + 1)
