"""Something was forgotten for good: what conversations wrote down of it goes too, wherever that is.

A turn that runs while another process forgets has composed its prompt before: what it keeps of it is compared with the
count of erasures that it began with. Sections in Valkey are cleared after the record is; until that has worked, it is
owed, and tried again with the next turn and the next forget.
"""

from collections.abc import Mapping
from contextlib import closing, suppress

from reverie.compose.conversation_state import state_name, states_in
from reverie.engines.valkey import ValkeySections
from reverie.errors import StoreError
from reverie.pipeline.open_store import OpenStore
from reverie.records.conversation_values import MAIN
from reverie.records.prompt_inputs import SectionState, SectionStates

_DEBT = "sections in Valkey"
_PATIENT_MS = 2_000  # for one exchange with Valkey when nobody waits for a prompt


class SectionsSince:
    """One user's section states as a turn may write them: nothing that is older than the last erasure.

    `since` says how many erasures there were when the turn began; None where no turn writes.
    """

    def __init__(self, states: SectionStates, store: OpenStore, since: int | None) -> None:
        self._states = states
        self._engine = store.engine
        self._since = since

    def save(self, changed: Mapping[str, SectionState | None]) -> None:
        """Write these in one go; None clears one. What was composed before an erasure is let go instead."""
        if isinstance(self._states, ValkeySections):
            if not self._is_outdated():
                self._states.save(changed)
            if self._is_outdated():  # also if it became so while we wrote: whoever forgot may have cleared before
                self._states.clear()
            return
        with self._engine.write():
            if not self._is_outdated():
                self._states.save(changed)

    def get(self, name: str) -> SectionState | None:
        return self._states.get(name)

    def all(self) -> dict[str, SectionState]:
        return self._states.all()

    def _is_outdated(self) -> bool:
        return self._since is not None and self._engine.erasures() != self._since


def clear_sections(store: OpenStore, continuum_id: str) -> None:
    """A segment is over: drop what the sections of its conversation said last, so that states do not pile up.

    Those of the main conversation stay. If Valkey does not answer, they stay until the conversation goes on.
    """
    compose = store.settings.compose
    if continuum_id == MAIN:
        return
    if compose.state != "valkey":
        _clear(store.engine.sections, continuum_id)
        return
    states = ValkeySections(compose.valkey_url, store.engine.user, compose.valkey_ms, store.env.monotonic)
    with closing(states), suppress(StoreError):
        _clear(states, continuum_id)


def _clear(states: SectionStates, continuum_id: str) -> None:
    states.save({state_name(continuum_id, name): None for name in states_in(continuum_id, states.all())})


def owe_clearing(store: OpenStore) -> None:
    """Note that Valkey has to be cleared, before it is known whether it can be reached."""
    if store.settings.compose.state == "valkey":
        store.engine.owe(_DEBT)


def is_owed(store: OpenStore) -> bool:
    return store.settings.compose.state == "valkey" and bool(store.engine.owes(_DEBT))


def clear_elsewhere(store: OpenStore, states: ValkeySections | None = None) -> str:
    """Clear what Valkey has of this user's sections; says what is wrong if that cannot be done now."""
    compose = store.settings.compose
    if compose.state != "valkey":
        return ""
    owed = store.engine.owes(_DEBT)
    patient_ms = max(compose.valkey_ms, _PATIENT_MS)
    own = states or ValkeySections(compose.valkey_url, store.engine.user, patient_ms, store.env.monotonic)
    try:
        own.clear()
    except StoreError as error:
        store.engine.owe(_DEBT)
        return (
            f"{error}; what prompts said of it may still be there. It is cleared with the next turn or forget that "
            f"reaches it; by hand: DEL {own.key}"
        )
    finally:
        if states is None:
            own.close()
    store.engine.settle(_DEBT, owed)
    return ""
