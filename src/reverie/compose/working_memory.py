"""Composes the prompt: asks each trinket for its section, puts the sections together, and reports what is missing.

A trinket that fails, hangs or says too much never costs more than its own section. State is kept by conversation: one
instance serves the conversations of every user. Trinkets run on a worker thread; subscribers are told on the caller's.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from reverie.compose.composer import (
    Composed,
    ComposerConfig,
    Missing,
    SystemPromptComposer,
    composer_config,
    personalised,
)
from reverie.compose.conversation_state import (
    ConversationState,
    Draft,
    cached_prefix,
    changed_states,
    repeat_prefix,
    state_name,
    states_in,
)
from reverie.compose.markup import Markup, checked
from reverie.compose.profiles import reserved_for_others
from reverie.compose.remove_secrets import Clean, cleaned, cleaned_markup
from reverie.compose.report import failure, one_line, refusal
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinket_registry import INPUTS, TrinketRegistry
from reverie.compose.workers import Workers, is_worker
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
from reverie.records.conversation_values import MAIN
from reverie.records.prompt_inputs import PromptInputs, SectionState, SectionStates
from reverie.settings import ComposeSettings

_LOG = logging.getLogger(__name__)
_MOST_KEPT = 256  # conversations; of one that fell silent before them, the next prompt is composed from the record


class WorkingMemory:
    """Keeps the trinkets, and composes prompts from their sections."""

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
        `clean` removes secrets from a text. Values are cleaned before they are rendered.
        """
        self.event_bus = event_bus
        self._inputs_of = inputs_of
        self._states_of = states_of
        self._settings = settings
        self._now = now
        self._new_id = new_id
        self._config = config or composer_config(settings)
        self._monotonic = monotonic or (lambda: now().timestamp())
        self._clean = clean
        self._trinkets = TrinketRegistry()
        self._never_made: tuple[Missing, ...] = ()
        self._kept: dict[tuple[str, str], ConversationState] = {}  # by user and conversation, the last one last
        self._drafts: list[Draft] = []  # prompts that are being composed, on any thread
        self._warned: set[str] = set()
        self._workers = Workers(self._monotonic)
        event_bus.subscribe(ComposeSystemPromptEvent, self._on_compose)
        event_bus.subscribe(UpdateTrinketEvent, self._on_update)
        event_bus.subscribe(TrinketContentEvent, self._on_content)
        event_bus.subscribe(SegmentCollapsedEvent, self._on_collapse)

    # ---- composing

    def compose(
        self, user_id: str, base_prompt: str, *, continuum_id: str = MAIN, segment_id: str = "", turn_number: int = 0
    ) -> Composed:
        """Compose one prompt of a conversation, and publish that it was wanted and what came of it."""
        event = ComposeSystemPromptEvent(
            user_id=user_id,
            continuum_id=continuum_id,
            event_id=self._new_id(),
            occurred_at=int(self._now().timestamp() * 1000),
            base_prompt=base_prompt,
            turn_number=turn_number,
            segment_id=segment_id,
        )
        self.event_bus.publish(event, except_for=self._on_compose)
        return self._compose(event)

    def _compose(self, event: ComposeSystemPromptEvent) -> Composed:
        # 1. Read all that the prompt may show. The base prompt comes first, with the person's name.
        event = replace(event, continuum_id=event.continuum_id or MAIN)
        state = self._state_of(event.user_id, event.continuum_id)
        draft = self._draft(event)
        state.last = draft.context
        draft.composer.set_base_prompt(personalised(event.base_prompt, draft.context.inputs.first_name))
        # 2. Ask each trinket for its section.
        self._drafts.append(draft)
        try:
            for trinket in self._trinkets.in_order():
                update = UpdateTrinketEvent(**draft.about, target_trinket=type(trinket).__name__)
                self.event_bus.publish(update, except_for=self._on_update)
                self._render(trinket, draft)
        finally:
            self._drafts.remove(draft)
        # 3. Put the sections together; steady ones stay as they are while the prefix is whole.
        composed = repeat_prefix(draft, state.prefix, self._trinkets.steady_sections())
        # 4. Save the sections that changed, and report what is missing.
        self._save(draft, state, composed, {*self._trinkets.by_section, *state.saved})
        missing, state.missing = (*self._never_made, *state.missing, *draft.missing), ()
        state.composed = composed = replace(composed, missing=missing)
        state.prefix = cached_prefix(composed, event.segment_id) or state.prefix
        self.event_bus.publish(
            SystemPromptComposedEvent(
                **draft.about,
                cached_content=composed.cached_content,
                non_cached_content=composed.non_cached_content,
                tail=composed.tail,
            )
        )
        return composed

    def refresh(self, trinket: EventAwareTrinket, event: UpdateTrinketEvent) -> None:
        """Render one section anew: in the prompt that is being composed, or between prompts for the state store."""
        draft = self._draft_of(event)
        if draft is not None:
            self._render(trinket, draft, event.context)
            return
        draft = self._draft(event, trinket)
        self._render(trinket, draft, event.context)
        self._save_between(draft)

    def _render(self, trinket: EventAwareTrinket, draft: Draft, given: Mapping[str, object] | None = None) -> None:
        """Ask a trinket for its section, add it, and publish it. What goes wrong in a trinket ends here, and only here.

        `given` is what an update hands over.
        """
        name, section, context = type(trinket).__name__, trinket.variable_name, draft.context
        unread = context.inputs.unread
        if lost := [f"{part}: {unread[part]}" for part in trinket.reads if part in unread]:
            draft.missing.append(Missing(section, name, "unread", one_line("; ".join(lost))))
            return
        if given:
            context = replace(context, given=cleaned(given, self._clean) if self._clean else given)
        ends = min(self._monotonic() + self._settings.trinket_ms / 1000, draft.ends)
        draft.asked.append(name)
        try:
            content = self._workers.call(partial(trinket.generate_content, context), name, context.user_id, ends)
        except Exception as error:
            draft.missing.append(failure(section, name, error))
            return
        finally:
            draft.asked.remove(name)
        event = TrinketContentEvent(
            **draft.about,
            variable_name=section,
            content=content,
            trinket_name=name,
            cache_policy=trinket.cache_policy,
        )
        shown = self._add(draft, event)
        if shown is not None:
            self.event_bus.publish(replace(event, content=shown), except_for=self._on_content)

    def _add(self, draft: Draft, event: TrinketContentEvent) -> Markup | None:
        """Add a section to a prompt as it may stand there; None if it may not, which the report then says."""
        name, sections = event.variable_name, self._trinkets.by_section
        owner = sections.get(name)
        owner_name = type(owner).__name__ if owner else None
        if missing := refusal(event, draft.context.user_id, owner_name):
            draft.missing.append(missing)
            return None
        content = checked(event.content, name, reserved_for_others(name) | sections.keys() - {name})
        if self._clean:  # a text that was cut, joined or made by others is looked at once more, value by value
            content = cleaned_markup(content, self._clean, by_names=not isinstance(event.content, Markup))
        placement = owner.placement if owner else None
        draft.composer.add_section(name, content, event.cache_policy, placement=placement, trinket=event.trinket_name)
        draft.answered.add(name)
        return content

    # ---- events of others

    def _on_compose(self, event: ComposeSystemPromptEvent) -> None:
        self._compose(event)

    def _on_update(self, event: UpdateTrinketEvent) -> None:
        trinket = self.get_trinket(event.target_trinket)
        if trinket is None:
            _LOG.warning('an update is meant for "%s", and there is no such trinket', event.target_trinket)
            return
        self.refresh(trinket, event)

    def _on_content(self, event: TrinketContentEvent) -> None:
        """Take in a section that somebody else published; a trinket that is being asked speaks in that prompt only."""
        draft = self._draft_of(event) or next((it for it in self._drafts if event.trinket_name in it.asked), None)
        if draft is not None:
            self._add(draft, event)
            return
        draft = self._new_draft(event, PromptInputs(user_id=event.user_id), [])
        self._add(draft, event)
        self._save_between(draft)

    def _on_collapse(self, event: SegmentCollapsedEvent) -> None:
        continuum_id = event.continuum_id or MAIN
        if state := self._kept.get((event.user_id, continuum_id)):
            state.prefix, state.saved = None, {}  # its stored states may have been cleared with the segment
        self._trinkets.forget_segment(event.user_id, continuum_id)

    # ---- trinkets

    def register_trinket(self, trinket: EventAwareTrinket) -> None:
        """Add a trinket, or put it in the place of the one that it `replaces`. Trinkets call it as they are made."""
        self._trinkets.add(trinket)

    def report_always(self, missing: Missing) -> None:
        """Name something in the report of every prompt: a section that could not even be made."""
        self._never_made = (*self._never_made, missing)

    def get_trinket(self, name: str) -> EventAwareTrinket | None:
        """Return a trinket by the name of its class, or of the class that it replaces."""
        return self._trinkets.find(name)

    def publish_trinket_update(
        self,
        target_trinket: str,
        context: Mapping[str, object] | None = None,
        *,
        user_id: str | None = None,
        continuum_id: str = "",
    ) -> None:
        """Have one trinket render its section anew; `context` is handed to it.

        The user, or the conversation, need not be named as long as there is only one.
        """
        trinket = self._trinkets.get(target_trinket)
        user_id = self._user(user_id)
        event = UpdateTrinketEvent(
            user_id=user_id,
            continuum_id=self._conversation(user_id, continuum_id),
            event_id=self._new_id(),
            occurred_at=int(self._now().timestamp() * 1000),
            target_trinket=target_trinket,
            context=context or {},
        )
        self.event_bus.publish(event, except_for=self._on_update)
        self.refresh(trinket, event)

    # ---- what prompts said last

    def last_composed(self, user_id: str, continuum_id: str = "") -> Composed | None:
        """Return the prompt that was composed last in this process: in a conversation, or for a user in any."""
        states = [
            state for (user, of), state in list(self._kept.items()) if user == user_id and continuum_id in ("", of)
        ]
        return next((one.composed for one in reversed(states) if one.composed is not None), None)

    def get_trinket_state(
        self, section_name: str, user_id: str | None = None, continuum_id: str = ""
    ) -> SectionState | None:
        """Return what a section said last, from the state store; StoreError if that does not answer."""
        user_id = self._user(user_id)
        continuum_id = self._conversation(user_id, continuum_id)
        return self._states_of(user_id, continuum_id).get(state_name(continuum_id, section_name))

    def get_all_trinket_states(self, user_id: str | None = None, continuum_id: str = "") -> dict[str, SectionState]:
        """Return what every section of a conversation said last; one that is empty is not there."""
        user_id = self._user(user_id)
        continuum_id = self._conversation(user_id, continuum_id)
        return states_in(continuum_id, self._states_of(user_id, continuum_id).all())

    def forget(self, user_id: str, continuum_id: str = "") -> None:
        """Drop all that was said for a user, or in a conversation, here and in the state store.

        For after an erasure: what was erased must not stand in the next prompt. StoreError if the store does not
        answer; then it still has it.
        """
        for key in list(self._kept):
            if key[0] == user_id and continuum_id in ("", key[1]):
                self._drop(key)
        self._trinkets.forget_segment(user_id, continuum_id)
        states = self._states_of(user_id, continuum_id)
        kept = states.all()
        if continuum_id:
            kept = {state_name(continuum_id, name): state for name, state in states_in(continuum_id, kept).items()}
        states.save(dict.fromkeys(kept))

    def _drop(self, key: tuple[str, str]) -> None:
        self._kept.pop(key, None)
        self._trinkets.forget_segment(*key)

    # ---- drafts and states

    def _draft_of(self, event: ContinuumEvent) -> Draft | None:
        """Return the prompt that is being composed for the conversation of an event, if any."""
        drafts = [one for one in self._drafts if one.is_of(event)]
        if len({one.context.continuum_id for one in drafts}) > 1:
            raise BadInput(f"prompts of {len(drafts)} conversations are being composed; say which with continuum_id=")
        return drafts[-1] if drafts else None

    def _draft(self, event: ContinuumEvent, trinket: EventAwareTrinket | None = None) -> Draft:
        """Read the inputs. The update of a `trinket` that needs none of them makes do with the last ones."""
        missing: list[Missing] = []
        last = self._last(event)
        if trinket is not None and not trinket.reads and last is not None:
            return self._new_draft(event, last.inputs, missing)
        if is_worker():
            raise BadInput("a trinket may only ask for sections of the prompt that it is asked for itself")
        try:
            inputs = self._inputs_of(event.user_id, self._conversation(event.user_id, event.continuum_id))
            if inputs.user_id != event.user_id:
                raise BadInput("the inputs of another user were read")
            inputs = cleaned(inputs, self._clean) if self._clean else inputs
        except Exception as error:
            missing.append(failure("prompt_inputs", "", error))
            inputs = PromptInputs(user_id=event.user_id, unread=dict.fromkeys(INPUTS, missing[0].why))
        return self._new_draft(event, inputs, missing)

    def _new_draft(self, event: ContinuumEvent, inputs: PromptInputs, missing: list[Missing]) -> Draft:
        told = event if isinstance(event, ComposeSystemPromptEvent) else self._last(event)
        context = TrinketContext(
            user_id=event.user_id,
            now=self._now(),
            inputs=inputs,
            continuum_id=self._conversation(event.user_id, event.continuum_id),
            segment_id="" if told is None else told.segment_id,
            turn_number=0 if told is None else told.turn_number,
        )
        # For all trinkets of a prompt; what a remote state store may take is set aside.
        whole, aside = self._settings.deadline_ms, self._settings.valkey_ms if self._settings.state == "valkey" else 0
        ends = self._monotonic() + max(whole - aside, whole // 2) / 1000
        about = {
            "user_id": context.user_id,
            "continuum_id": context.continuum_id,
            "event_id": event.event_id,
            "occurred_at": context.now_ms,
        }
        return Draft(about, context, ends, SystemPromptComposer(self._config, self._warn), missing)

    def _last(self, event: ContinuumEvent) -> TrinketContext | None:
        """Return the context of the last prompt of an event's conversation."""
        state = self._kept.get((event.user_id, self._conversation(event.user_id, event.continuum_id)))
        return state.last if state else None

    def _state_of(self, user_id: str, continuum_id: str) -> ConversationState:
        """Return what is known of a conversation, which is now the last one; those silent for long are dropped."""
        key = (user_id, continuum_id)
        state = self._kept[key] = self._kept.pop(key, ConversationState())
        for silent in list(self._kept)[:-_MOST_KEPT]:
            self._drop(silent)
        return state

    def _save_between(self, draft: Draft) -> None:
        """Save a section that was refreshed between prompts, and keep what went wrong for the next report."""
        state = self._state_of(draft.context.user_id, draft.context.continuum_id)
        self._save(draft, state, draft.composer.composed(), draft.answered)
        state.missing = (*state.missing, *draft.missing)[-len(self._trinkets) - 1 :]

    def _save(self, draft: Draft, state: ConversationState, composed: Composed, concerned: set[str]) -> None:
        """Write changed states in one go, and clear empty ones. A store that fails is asked again next time."""
        updated_at = draft.context.now.astimezone(UTC).isoformat()
        changed = changed_states(draft, state, composed, sorted(concerned), updated_at)
        if not changed:
            return
        try:
            user_id, continuum_id = draft.context.user_id, draft.context.continuum_id
            named = {state_name(continuum_id, name): one for name, one in changed.items()}
            self._states_of(user_id, continuum_id).save(named)
            state.saved.update(changed)
        except (ReverieError, OSError) as error:
            draft.missing.append(failure("section_states", "", error))

    # ---- whose it is

    def _user(self, user_id: str | None) -> str:
        if user_id is not None:
            return user_id
        users = {user for user, _ in list(self._kept)}
        if len(users) != 1:
            raise BadInput(f"{len(users)} users have been served here; say whose it is with user_id=")
        return users.pop()

    def _conversation(self, user_id: str, continuum_id: str) -> str:
        """Return the conversation that is named; else the only one of a user that was served here."""
        known = [] if continuum_id else [one for user, one in list(self._kept) if user == user_id]
        if len(known) > 1:
            told = f"{len(known)} conversations of {user_id} have been served here"
            raise BadInput(f"{told}; say which it is with continuum_id=")
        return continuum_id or (known[0] if known else MAIN)

    def _warn(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            _LOG.warning(warning)
