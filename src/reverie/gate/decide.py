"""Something that asks to be remembered in, a verdict out: keep, merge, drop or quarantine, with reasons.

The order is fixed, so that what happens to a text can be foretold (`admin gate explain`): redact, then mandates and
trust, then score, then route, then what is stored already. Nothing leaves here unredacted, not even what is dropped,
because verdicts are logged. The gate reads no clock and no store: near items, goals and mandates are handed in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from reverie.gate.mandates import Mandates, matching
from reverie.gate.redact import redact
from reverie.gate.route import route
from reverie.gate.same_text import adds_nothing
from reverie.gate.score import WEIGHTS, assigned, importance, novelty_part, score
from reverie.gate.subject import subject_of
from reverie.gate.trust_rules import may_touch, trust_of, why_quarantined
from reverie.language.tokens import count_tokens
from reverie.ports import MemoryType
from reverie.records import (
    CONVERSATION,
    EPISODIC,
    SEMANTIC,
    WORKING,
    Drop,
    Goal,
    ItemType,
    Keep,
    Lifecycle,
    MemoryItem,
    Merge,
    Near,
    Quarantine,
    Trust,
    Verdict,
    WriteEvent,
)
from reverie.settings import GateSettings, PrivacySettings

# Every message is a searchable episode whatever it is worth; the log has it anyway.
_WHOLE_MESSAGES = frozenset({ItemType.USER_MESSAGE, ItemType.ASSISTANT_MESSAGE})
# What a newer item of the same subject takes the place of.
_REPLACEABLE = frozenset({ItemType.FACT, ItemType.PREFERENCE, ItemType.CORRECTION, ItemType.OBSERVATION})


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of the gate. `foreign_types` are memory types that are not ours: they say themselves what they take."""

    settings: GateSettings = field(default_factory=GateSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    mandates: Mandates = field(default_factory=Mandates)
    goals: tuple[Goal, ...] = ()
    memory_types: tuple[str, ...] = (WORKING, EPISODIC, SEMANTIC, CONVERSATION)
    foreign_types: tuple[MemoryType, ...] = ()


def gate(event: WriteEvent, near: Sequence[Near], policy: Policy) -> Verdict:
    """Decide what becomes of one item."""
    # 1. Redact. What a kind's policy forbids goes no further.
    redacted = redact(event.item, policy.privacy)
    trust = trust_of(event.item)
    item = replace(redacted.item, trust=trust, tokens_estimate=_size(redacted.item))
    reasons = (f"taken out: {_list(redacted.kinds)}",) if redacted.kinds else ()
    if redacted.forbidden:
        return Drop(item, (f"it holds {_list(redacted.forbidden)}, which the privacy settings drop",))
    if not item.text.strip():
        return Drop(item, ("there is nothing in it",))

    # 2. The person's mandates, and trust.
    if mandate := matching(item, policy.mandates.never_keep):
        return Drop(item, (*reasons, f"soul.md says never to keep: {mandate}"))
    if trust is not event.item.trust:
        reasons = (*reasons, f"trusted as the word of {_speaker(trust)}, because that is where it comes from")
    if policy.settings.quarantine and (why := why_quarantined(item, trust)):
        hidden = replace(_routed(item, event, policy)[0], lifecycle=Lifecycle.QUARANTINED)
        return Quarantine(hidden, (*reasons, why))

    # 3. Score. What waits in quarantine is not known, so it makes nothing less new.
    known = [one for one in near if one.item.lifecycle is not Lifecycle.QUARANTINED]
    parts = score(item, known, policy.goals, trust)
    given = assigned(item, trust)
    worth = importance(parts) if given is None else given
    item = replace(item, importance=worth, novelty=novelty_part(item.text, known).value)
    told = f"{'importance' if given is None else 'assigned importance'} {worth:.2f}"
    scored = tuple(f"{part.name} {part.value:.2f} x {WEIGHTS[part.name]:.2f}: {part.why}" for part in parts)

    # 4. Route.
    item, where = _routed(item, event, policy)

    # 5. A twin is strengthened, whatever it is worth; the rest has to be worth it.
    comparable = [one for one in known if _is_comparable(item, one.item)] if item.store == SEMANTIC else []
    if twin := _twin(item, comparable, policy.settings):
        return _with_twin(
            item, twin.item, (*reasons, f"{twin.likeness:.2f} like {twin.item.id}, and adds nothing to it")
        )
    wanted = matching(item, policy.mandates.always_keep)
    if worth <= policy.settings.floor and not wanted and item.type not in _WHOLE_MESSAGES:
        return Drop(item, (*reasons, f"{told} is not above {policy.settings.floor:.2f}", *scored))
    reasons = (*reasons, told, *scored, *([f"soul.md says always to keep: {wanted}"] if wanted else []), where)
    return _with_older(item, [one.item for one in comparable], reasons)


def explain(verdict: Verdict) -> list[str]:
    """A verdict in lines that a person understands, the decision first.

    >>> item = MemoryItem(id="m1", type=ItemType.FACT, text="ok", created_ms=0)
    >>> explain(Drop(item, ("importance 0.10 is not above 0.30",)))
    ['drop: ok', '- importance 0.10 is not above 0.30']
    """
    match verdict:
        case Keep(supersedes=""):
            told = f"keep in {verdict.item.store} memory"
        case Keep(supersedes=older):
            told = f"keep in {verdict.item.store} memory, in place of {older}"
        case Merge(into=known):
            told = f"merge into {known}"
        case Drop():
            told = "drop"
        case Quarantine():
            told = "quarantine until a person has looked at it"
    return [f"{told}: {verdict.item.text}", *(f"- {reason}" for reason in verdict.reasons)]


def _routed(item: MemoryItem, event: WriteEvent, policy: Policy) -> tuple[MemoryItem, str]:
    subject = subject_of(item)
    found = route(item, event.store, policy.memory_types, policy.foreign_types, is_fact=bool(subject))
    if found.store == SEMANTIC and subject:
        item = replace(item, subject=subject)
    return replace(item, store=found.store), found.why


def _is_comparable(item: MemoryItem, known: MemoryItem) -> bool:
    """Whether a stored item is one that a new one can repeat or replace: current, distilled, of the same project.

    The same words can be about different people: "I live in Lisbon".
    """
    is_elsewhere = item.subject and known.subject and item.subject != known.subject
    is_distilled = known.is_current and known.store == SEMANTIC
    return is_distilled and not is_elsewhere and known.id != item.id and known.project == item.project


def _twin(item: MemoryItem, comparable: Sequence[Near], settings: GateSettings) -> Near | None:
    for one in sorted(comparable, key=lambda one: (-one.likeness, one.item.id)):
        if one.likeness >= settings.same and adds_nothing(item.text, one.item.text):
            return one
    return None


def _with_twin(item: MemoryItem, twin: MemoryItem, reasons: tuple[str, ...]) -> Verdict:
    if item.trust == twin.trust:
        return Merge(item, twin.id, reasons)
    if may_touch(item.trust, twin.trust):
        return Keep(item, (*reasons, f"{_speaker(item.trust)} says it now, not only {_speaker(twin.trust)}"), twin.id)
    return Drop(
        item, (*reasons, f"{_speaker(twin.trust)} said it already, and {_speaker(item.trust)} cannot add to that")
    )


def _with_older(item: MemoryItem, comparable: Sequence[MemoryItem], reasons: tuple[str, ...]) -> Verdict:
    """The newest of the same subject that it may touch ends with it; or it ends where that one begins."""
    if not item.subject or item.type not in _REPLACEABLE:
        return Keep(item, reasons)
    same = [known for known in comparable if known.type in _REPLACEABLE and subject_of(known) == item.subject]
    about = f'both are about "{item.subject}"'
    for known in sorted(same, key=_since, reverse=True):
        if _since(item) < _since(known) and may_touch(known.trust, item.trust):
            late = replace(item, valid_to_ms=_since(known)[0], superseded_by=known.id)
            return Keep(late, (*reasons, f"{about}, and {known.id} is newer: this one is history"))
        if _since(item) >= _since(known) and may_touch(item.trust, known.trust):
            item = replace(item, valid_from_ms=_since(item)[0])
            return Keep(item, (*reasons, f"{about}, and this one is newer"), known.id)
        reasons = (*reasons, f"{about}, and {known.id} stands beside it: trust never rises")
    return Keep(item, reasons)


def _since(item: MemoryItem) -> tuple[int, int]:
    """Since when it holds, then its place in the log."""
    return (item.valid_from_ms if item.valid_from_ms is not None else item.created_ms, item.position)


def _size(item: MemoryItem) -> int:
    return item.tokens_estimate or count_tokens(item.text)


def _list(things: Sequence[str]) -> str:
    return " and ".join(thing.replace("_", " ") for thing in things)


def _speaker(trust: Trust) -> str:
    return {
        Trust.PERSON: "a person",
        Trust.PERSON_FILE: "a person's file",
        Trust.ASSISTANT: "the assistant",
        Trust.OTHER_PEOPLE: "somebody else",
        Trust.LOCAL_TOOL: "a tool",
        Trust.OUTSIDE_TOOL: "a tool outside this machine",
    }[trust]
