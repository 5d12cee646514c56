"""Composes the prompt: asks every trinket for its section, puts them together, and says what is missing.

A trinket that fails, hangs or says too much never costs more than its own section. State is kept by conversation: one
instance serves them all, of every user. Trinkets run on a worker thread, and whoever hears TrinketContentEvent hears it
there.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from threading import local

from reverie.compose.cleaning import Clean, cleaned, cleaned_markup
from reverie.compose.composer import Composed, ComposerConfig, Missing, SystemPromptComposer, personalised
from reverie.compose.failing import failure, may_be_section, one_line, refusal
from reverie.compose.markup import Markup, checked
from reverie.compose.profiles import reserved_for_others, section_order
from reverie.compose.running import Job, Runner
from reverie.compose.serving import Served, Turn, changes, held, state_name, states_in, steadied
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.conversing import MAIN
from reverie.errors import BadInput, ReverieError
from reverie.events import (
    ComposeSystemPromptEvent,
    ContinuumEvent,
    EventBus,
    SegmentCollapsedEvent,
    SystemPromptComposedEvent,
    TrinketContentEvent,
    UpdateTrinketEvent,
)
from reverie.prompt_inputs import PromptInputs, SectionState, SectionStates
from reverie.settings import ComposeSettings

_LOG = logging.getLogger(__name__)
_MOST_SERVED = 256  # conversations; of one that fell silent before them, the next prompt is composed from the record
_INPUTS = tuple(field.name for field in fields(PromptInputs) if field.name not in ("user_id", "unread"))


class WorkingMemory:
    """Keeps the trinkets, and composes prompts from what they say."""

    def __init__(
        self,
        event_bus: EventBus,
        inputs_of: Callable[[str, str], PromptInputs],
        states_of: Callable[[str, str], SectionStates],
        settings: ComposeSettings,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        config: ComposerConfig | None = None,
        monotonic: Callable[[], float] | None = None,
        clean: Clean | None = None,
    ) -> None:
        """`inputs_of` and `states_of` are asked by user and conversation.

        `now` is in the person's time zone. Without a `monotonic` clock, deadlines are kept by that one.
        `clean` takes out of a text what nobody may be sent: secrets. Values are cleaned before they are rendered.
        """
        self.event_bus = event_bus
        self._inputs_of = inputs_of
        self._states_of = states_of
        self._settings = settings
        self._now = now
        self._new_id = new_id
        self._config = config or ComposerConfig(section_order(settings.profile), volatile=settings.volatile)
        self._monotonic = monotonic or (lambda: now().timestamp())
        self._clean = clean
        self._never_made: tuple[Missing, ...] = ()
        self._trinkets: dict[str, EventAwareTrinket] = {}
        self._served: dict[tuple[str, str], Served] = {}  # by user and conversation, the last one last
        self._warned: set[str] = set()
        self._runner = Runner(self._monotonic)
        self._here = local()  # what is under way on this thread
        event_bus.subscribe("ComposeSystemPromptEvent", self._handle_compose_prompt)
        event_bus.subscribe("UpdateTrinketEvent", self._handle_update_trinket)
        event_bus.subscribe("TrinketContentEvent", self._handle_trinket_content)
        event_bus.subscribe("SegmentCollapsedEvent", self._handle_segment_collapsed)

    # ---- trinkets

    def register_trinket(self, trinket: EventAwareTrinket) -> None:
        """Trinkets call it as they are made. Each has a class name and a section of its own."""
        name, section = type(trinket).__name__, trinket.variable_name
        if not may_be_section(section):
            raise BadInput(f"{name} cannot have the section {section!r}; a name such as my_section will do")
        if trinket.placement not in (None, "cached", "tail", "system"):
            raise BadInput(f"{name} cannot stand in {trinket.placement!r}; a placement is cached, tail or system")
        if trinket.steady and not trinket.cache_policy and trinket.placement != "cached":
            raise BadInput(f"{name} is steady and not cached; only a cached section can wait with its news")
        if unknown := [part for part in trinket.reads if part not in _INPUTS]:
            raise BadInput(
                f"{name} reads {unknown[0]!r}, which is no input of a prompt; there are {', '.join(_INPUTS)}"
            )
        for other in self._trinkets.values():
            if other.variable_name == section:
                raise BadInput(f'section "{section}" of {_full(trinket)} is that of {_full(other)} already; rename one')
        if name in self._trinkets:
            raise BadInput(f"{_full(trinket)} and {_full(self._trinkets[name])} have the same class name; rename one")
        self._trinkets[name] = trinket

    def report_always(self, missing: Missing) -> None:
        """Name something in the report of every prompt: a section that could not even be made."""
        self._never_made = (*self._never_made, missing)

    def get_trinket(self, name: str) -> EventAwareTrinket | None:
        """A trinket by the name of its class."""
        return self._trinkets.get(name)

    def publish_trinket_update(
        self,
        target_trinket: str,
        context: Mapping[str, object] | None = None,
        *,
        user_id: str | None = None,
        continuum_id: str = "",
    ) -> None:
        """Have one trinket say anew what it has to say; `context` is handed to it.

        The user, or the conversation, need not be named as long as there is only one.
        """
        if target_trinket not in self._trinkets:
            near = get_close_matches(target_trinket, self._trinkets, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(self._trinkets) or 'none'}"
            raise BadInput(f'no trinket "{target_trinket}"; {hint}')
        user_id = self._user(user_id)
        self._publish_update(user_id, self._conversation(user_id, continuum_id), target_trinket, context or {})

    def _publish_update(self, user_id: str, continuum_id: str, name: str, context: Mapping[str, object]) -> None:
        self.event_bus.publish(
            UpdateTrinketEvent(
                user_id=user_id,
                continuum_id=continuum_id,
                event_id=self._new_id(),
                occurred_at=int(self._now().timestamp() * 1000),
                target_trinket=name,
                context=context,
            )
        )

    # ---- what was said last

    def last_composed(self, user_id: str, continuum_id: str = "") -> Composed | None:
        """The prompt that was composed last in this process: in a conversation, or for a user in any."""
        composed = [
            self._served[key].composed
            for key in list(self._served)
            if key[0] == user_id and continuum_id in ("", key[1]) and key in self._served
        ]
        return next((one for one in reversed(composed) if one is not None), None)

    def get_trinket_state(
        self, section_name: str, user_id: str | None = None, continuum_id: str = ""
    ) -> SectionState | None:
        """What a section said last, from the state store; StoreError if that does not answer."""
        user_id = self._user(user_id)
        continuum_id = self._conversation(user_id, continuum_id)
        return self._states_of(user_id, continuum_id).get(state_name(continuum_id, section_name))

    def get_all_trinket_states(self, user_id: str | None = None, continuum_id: str = "") -> dict[str, SectionState]:
        """What every section of a conversation said last; one that is empty is not there."""
        user_id = self._user(user_id)
        continuum_id = self._conversation(user_id, continuum_id)
        return states_in(continuum_id, self._states_of(user_id, continuum_id).all())

    def forget(self, user_id: str, continuum_id: str = "") -> None:
        """Let go of all that was said for a user, or in a conversation, here and in the state store.

        For after an erasure: what was erased must not stand in the next prompt. StoreError if the store does not
        answer; then it still has it.
        """
        for key in list(self._served):
            if key[0] == user_id and continuum_id in ("", key[1]):
                self._drop(key)
        self._let_go(user_id, continuum_id)
        states = self._states_of(user_id, continuum_id)
        kept = states.all()
        if continuum_id:
            kept = {state_name(continuum_id, name): state for name, state in states_in(continuum_id, kept).items()}
        states.save(dict.fromkeys(kept))

    def _drop(self, key: tuple[str, str]) -> None:
        self._served.pop(key, None)
        self._let_go(*key)

    # ---- composing

    def compose(
        self, user_id: str, base_prompt: str, *, continuum_id: str = MAIN, segment_id: str = "", turn_number: int = 0
    ) -> Composed:
        """Compose one prompt: publishes that it is wanted, and hands back what came of it."""
        self._here.composed = None
        self.event_bus.publish(
            ComposeSystemPromptEvent(
                user_id=user_id,
                continuum_id=continuum_id,
                event_id=self._new_id(),
                occurred_at=int(self._now().timestamp() * 1000),
                base_prompt=base_prompt,
                turn_number=turn_number,
                segment_id=segment_id,
            )
        )
        composed: Composed | None = self._here.composed
        if composed is None:
            raise ReverieError("the prompt was not composed; the event bus told its on_error why")
        return composed

    def context_for(self, event: UpdateTrinketEvent) -> TrinketContext:
        """What the trinket that this event is for may look at."""
        turn = self._turn_here(event) or self._begin(event, self._trinkets.get(event.target_trinket))
        given = cleaned(event.context, self._clean) if self._clean else event.context
        return replace(turn.context, given=given)

    def _handle_compose_prompt(self, event: ComposeSystemPromptEvent) -> None:
        # 1. Whose prompt it is, in which conversation, and what may be shown.
        event = replace(event, continuum_id=event.continuum_id or MAIN)
        served = self._serve((event.user_id, event.continuum_id))
        turn = self._begin(event, None)
        served.last = turn.context
        # 2. The base prompt, with the person's name.
        turn.composer.set_base_prompt(personalised(event.base_prompt, turn.context.inputs.first_name))
        # 3. Every trinket is asked. Cached sections go first: when time runs out, one that misses costs the most.
        outer, self._here.turn = getattr(self._here, "turn", None), turn
        try:
            for trinket in sorted(self._trinkets.values(), key=lambda one: not one.cache_policy):
                self._publish_update(event.user_id, event.continuum_id, type(trinket).__name__, {})
        finally:
            self._here.turn = outer
        self._ask(turn)
        # 4. Sections become a prompt; steady ones stay as they are while the prefix is whole.
        steady = {one.variable_name for one in self._trinkets.values() if one.steady and one.cache_policy}
        composed = steadied(turn, served.held, steady)
        # 5. What is new goes to the state store, and what went wrong into the report.
        self._save(turn, served, composed, {one.variable_name for one in self._trinkets.values()} | {*served.saved})
        missing, served.missing = (*self._never_made, *served.missing, *turn.missing), ()
        composed = replace(composed, missing=missing)
        if event.segment_id:
            served.held = held(turn, composed)
        served.composed = self._here.composed = composed
        self.event_bus.publish(
            SystemPromptComposedEvent(
                user_id=event.user_id,
                continuum_id=event.continuum_id,
                event_id=event.event_id,
                occurred_at=turn.context.now_ms,
                cached_content=composed.cached_content,
                non_cached_content=composed.non_cached_content,
                tail=composed.tail,
            )
        )
        self._here.composed = composed  # whoever heard that may have composed another one

    def _handle_update_trinket(self, event: UpdateTrinketEvent) -> None:
        trinket = self._trinkets.get(event.target_trinket)
        if trinket is None:
            _LOG.warning('an update is meant for "%s", and there is no such trinket', event.target_trinket)
            return
        turn = self._turn_here(event)
        if self._runner.current() is not None:  # a trinket wants another one: within its own time
            trinket.handle_update_request(event)
        elif turn is not None:
            turn.asked.append((trinket, event))
        else:
            turn = self._begin(event, trinket)
            turn.asked.append((trinket, event))
            self._ask(turn)
            self._conclude(turn)

    def _handle_trinket_content(self, event: TrinketContentEvent) -> None:
        job = self._runner.current()
        if job is not None:  # its caller takes it over, unless it comes too late
            job.said.append(event)
            return
        turn = self._turn_here(event)
        if turn is not None:
            self._add(turn, event)
            return
        turn = self._turn(event, PromptInputs(user_id=event.user_id), [])
        self._add(turn, event)
        self._conclude(turn)

    def _handle_segment_collapsed(self, event: SegmentCollapsedEvent) -> None:
        continuum_id = event.continuum_id or MAIN
        if served := self._served.get((event.user_id, continuum_id)):
            served.held, served.saved = None, {}  # whoever collapsed it may have cleared its states
        self._let_go(event.user_id, continuum_id)

    def _let_go(self, user_id: str, continuum_id: str) -> None:
        """Trinkets with a state of their own are flushed here, for all of them; none keeps another from it."""
        for name, trinket in self._trinkets.items():
            try:
                trinket.forget_segment(user_id, continuum_id)
            except Exception:
                _LOG.exception("%s could not let go of a segment", name)

    # ---- asking trinkets

    def _ask(self, turn: Turn) -> None:
        """Ask for sections, and take in what is said in time. What goes wrong in a trinket ends here, and only here."""
        unread, jobs = turn.context.inputs.unread, []
        for trinket, event in turn.asked:
            name, section = type(trinket).__name__, trinket.variable_name
            if lost := [f"{part}: {unread[part]}" for part in trinket.reads if part in unread]:
                turn.missing.append(Missing(section, name, "unread", one_line("; ".join(lost))))
                continue
            jobs.append((section, Job(name, event.user_id, partial(trinket.handle_update_request, event), turn)))
        self._runner.run([job for _, job in jobs], self._settings.trinket_ms / 1000, turn.ends)
        for section, job in jobs:
            if job.error is not None:
                turn.missing.append(failure(section, job.name, job.error))
                continue
            for said in job.said:
                if isinstance(said, TrinketContentEvent):
                    self._add(turn, said)

    def _add(self, turn: Turn, event: TrinketContentEvent) -> None:
        """Take a section in, if it may stand there."""
        name, sections = event.variable_name, {one.variable_name: one for one in self._trinkets.values()}
        owner = sections.get(name)
        owner_name = type(owner).__name__ if owner else None
        if missing := refusal(event, turn.context.user_id, owner_name, self._settings.max_section_chars):
            turn.missing.append(missing)
            return
        content = checked(event.content, name, reserved_for_others(name) | sections.keys() - {name})
        if self._clean:  # what was cut, put together or made by others is looked at once more, value by value
            content = cleaned_markup(content, self._clean, by_names=not isinstance(event.content, Markup))
        turn.composer.add_section(
            name,
            content,
            event.cache_policy,
            placement=owner.placement if owner else None,
            trinket=event.trinket_name,
        )
        turn.answered.add(name)

    # ---- turns and states

    def _turn_here(self, event: ContinuumEvent) -> Turn | None:
        """The composition that is under way on this thread, where an event belongs to it."""
        job = self._runner.current()
        turn = job.within if job else getattr(self._here, "turn", None)
        if isinstance(turn, Turn):
            whose = turn.context
            if whose.user_id == event.user_id and event.continuum_id in ("", whose.continuum_id):
                return turn
        if job:  # a worker may not read other inputs: databases belong to the threads of their callers
            raise BadInput(f"{job.name} was asked for one conversation and asks for another")
        return None

    def _serve(self, key: tuple[str, str]) -> Served:
        """What is known of a conversation, which is now the last one; what fell silent long before goes."""
        served = self._served[key] = self._served.pop(key, Served())
        for silent in list(self._served)[:-_MOST_SERVED]:
            self._drop(silent)
        return served

    def _begin(self, event: ContinuumEvent, trinket: EventAwareTrinket | None) -> Turn:
        """Read the inputs. An update of a trinket that needs nothing from it makes do with the last one."""
        missing: list[Missing] = []
        last = self._last(event)
        if trinket is not None and not trinket.reads and last is not None:
            return self._turn(event, last.inputs, missing)
        try:
            inputs = self._inputs_of(event.user_id, self._conversation(event.user_id, event.continuum_id))
            if inputs.user_id != event.user_id:
                raise BadInput("the inputs of another user were read")
            inputs = cleaned(inputs, self._clean) if self._clean else inputs
        except Exception as error:
            missing.append(failure("prompt_inputs", "", error))
            inputs = PromptInputs(user_id=event.user_id, unread=dict.fromkeys(_INPUTS, missing[0].why))
        return self._turn(event, inputs, missing)

    def _turn(self, event: ContinuumEvent, inputs: PromptInputs, missing: list[Missing]) -> Turn:
        told = event if isinstance(event, ComposeSystemPromptEvent) else self._last(event)
        context = TrinketContext(
            user_id=event.user_id,
            now=self._now(),
            inputs=inputs,
            continuum_id=self._conversation(event.user_id, event.continuum_id),
            segment_id="" if told is None else told.segment_id,
            turn_number=0 if told is None else told.turn_number,
        )
        composer = SystemPromptComposer(self._config, self._warn)
        return Turn(context, self._monotonic() + self._trinket_seconds(), composer, missing)

    def _last(self, event: ContinuumEvent) -> TrinketContext | None:
        """The last prompt of the conversation that an event belongs to."""
        served = self._served.get((event.user_id, self._conversation(event.user_id, event.continuum_id)))
        return served.last if served else None

    def _trinket_seconds(self) -> float:
        """For all trinkets of a prompt; what a remote state store may take is set aside."""
        whole, aside = self._settings.deadline_ms, self._settings.valkey_ms if self._settings.state == "valkey" else 0
        return max(whole - aside, whole // 2) / 1000

    def _conclude(self, turn: Turn) -> None:
        """After an update outside a composition: keep what is new, and what went wrong for the next report."""
        served = self._serve((turn.context.user_id, turn.context.continuum_id))
        self._save(turn, served, turn.composer.composed(), turn.answered)
        served.missing = (*served.missing, *turn.missing)[-len(self._trinkets) - 1 :]

    def _save(self, turn: Turn, served: Served, composed: Composed, concerned: set[str]) -> None:
        """Write what changed in one go, and clear what is empty. A store that fails is told again next time."""
        changed = changes(turn, served, composed, sorted(concerned), turn.context.now.astimezone(UTC).isoformat())
        if not changed:
            return
        try:
            user_id, continuum_id = turn.context.user_id, turn.context.continuum_id
            named = {state_name(continuum_id, name): state for name, state in changed.items()}
            self._states_of(user_id, continuum_id).save(named)
            served.saved.update(changed)
        except Exception as error:
            turn.missing.append(failure("section_states", "", error))

    def _user(self, user_id: str | None) -> str:
        if user_id is not None:
            return user_id
        users = {user for user, _ in list(self._served)}
        if len(users) != 1:
            raise BadInput(f"{len(users)} users have been served here; say whose it is with user_id=")
        return users.pop()

    def _conversation(self, user_id: str, continuum_id: str) -> str:
        """The conversation that is named; else the only one of a user that was served here."""
        known = [] if continuum_id else [one for user, one in list(self._served) if user == user_id]
        if len(known) > 1:
            told = f"{len(known)} conversations of {user_id} have been served here"
            raise BadInput(f"{told}; say which it is with continuum_id=")
        return continuum_id or (known[0] if known else MAIN)

    def _warn(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            _LOG.warning(warning)


def _full(trinket: EventAwareTrinket) -> str:
    return f"{type(trinket).__module__}.{type(trinket).__qualname__}"
