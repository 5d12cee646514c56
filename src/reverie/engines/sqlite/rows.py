"""Rows <-> values, by the names of their columns. Only the row classes say in which order columns are read."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from zlib import crc32

from reverie.foundation.text import whole_letters
from reverie.records import (
    JSON,
    Action,
    ActionStatus,
    Captured,
    Kind,
    Learned,
    LearningType,
    Observation,
    Owner,
    Priority,
    Scope,
    Session,
    Stage,
    ToolUse,
    Trust,
    Work,
    WorkState,
)


class ObservationRow(NamedTuple):
    id: str
    position: int
    session_id: str
    sequence_num: int
    turn: int
    kind: str
    event: str
    speaker: str
    project: str
    source: str
    text: str
    data: str
    occurred_ms: int
    recorded_ms: int
    user_id: str


class LearnedRow(NamedTuple):
    id: str
    type: str
    text: str
    subject: str
    confidence: float
    observation_id: str
    position: int
    trust: str
    priority: str
    owner: str
    origin: str
    project: str
    session_id: str
    learned_ms: int
    superseded_by: str


class WorkRow(NamedTuple):
    id: int
    stage: str
    session_id: str
    turn: int
    first_position: int
    last_position: int
    closed_ms: int
    state: str
    attempts: int
    token: str
    reason: str
    waits: int


class ActionRow(NamedTuple):
    id: str
    text: str
    priority: str
    owner: str
    status: str
    project: str
    created_ms: int
    trust: str
    version: int
    closed_by: str
    reason: str


class SessionRow(NamedTuple):
    session_id: str
    project: str
    started_ms: int
    last_ms: int
    ended_ms: int | None
    message_count: int
    observation_count: int
    turn: int
    shown: str


OBSERVATION = ", ".join(ObservationRow._fields)
LEARNED = ", ".join(LearnedRow._fields)
WORK = ", ".join(WorkRow._fields)
ACTION = ", ".join(ActionRow._fields)
SESSION = ", ".join(SessionRow._fields)

# A look into a dict takes a fifth of the time that an enumeration takes to find one of its members.
_KINDS = {kind.value: kind for kind in Kind}
_STAGES = {stage.value: stage for stage in Stage}
_STATES = {state.value: state for state in WorkState}
# `json.dumps` makes an encoder at each call, and `json.loads` looks for spaces around what we wrote ourselves.
_ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_ENCODE_CHECKED = json.JSONEncoder(separators=(",", ":")).encode
_DECODE = json.JSONDecoder().raw_decode

INDEXED_CHARS = 65_536  # as in the view observation_text


def storable(text: str) -> str:
    """Text that SQLite keeps as it is: NUL is shown as ␀, and half a surrogate pair as �.

    >>> storable("a\\x00b\\ud800")
    'a␀b�'
    """
    return whole_letters(text.replace("\0", "\N{SYMBOL FOR NULL}"))


def with_storable_names(captured: Captured) -> Captured:
    """The same capture with a session, speaker, event and project that SQLite can look for."""
    names = captured.session + captured.speaker + captured.event + captured.project
    if names.isascii() and "\0" not in names:
        return captured
    return replace(
        captured,
        session=storable(captured.session),
        speaker=storable(captured.speaker),
        event=storable(captured.event),
        project=storable(captured.project),
    )


def pack(captured: Captured) -> str:
    """Everything of a capture that has no column of its own, as JSON."""
    data: dict[str, JSON] = {}
    if captured.tool:
        data["tool"] = {"name": captured.tool.name, "input": captured.tool.input, "failed": captured.tool.failed}
    if captured.metadata:
        data["metadata"] = dict(captured.metadata)
    if captured.event_id:
        data["event_id"] = captured.event_id
    if not data:
        return "{}"
    try:
        return _ENCODE(data)
    except RecursionError:
        return _ENCODE_CHECKED(data)  # says so if it goes in circles


_CHECKED = ["\0".join(["%s"] * columns) for columns in range(20)]


def checksum(row: Sequence[object]) -> int:
    """Over every other value of a row of the log: tells one that was changed behind our back."""
    return crc32((_CHECKED[len(row)] % tuple(row)).encode())


def sealed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row with its checksum, which stands last."""
    return row + (checksum(row),)  # noqa: RUF005 — a third of the time


def told(data: str) -> dict[str, JSON]:
    """Decode the data of an act, a tick or a span."""
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError(f"{data[:40]!r} is no JSON object")
    return found


def strings(data: str) -> list[str]:
    found = json.loads(data)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"{data[:40]!r} is no list of texts")
    return found


def tool_of(packed: str) -> ToolUse | None:
    """The tool call in what `pack` made."""
    tool = _DECODE(packed, 0)[0].get("tool")
    return ToolUse(tool["name"], tool["input"], tool["failed"]) if tool else None


def observation(row: Sequence[Any]) -> Observation:
    it = ObservationRow._make(row)
    data = _DECODE(it.data, 0)[0] if it.data != "{}" else {}
    tool = data.get("tool")
    return Observation(
        id=it.id,
        position=it.position,
        session=it.session_id,
        sequence_num=it.sequence_num,
        turn=it.turn,
        kind=_KINDS[it.kind],
        event=it.event,
        speaker=it.speaker,
        project=it.project,
        source=it.source,
        text=it.text,
        tool=ToolUse(tool["name"], tool["input"], tool["failed"]) if tool else None,
        metadata=data.get("metadata", {}),
        event_id=data.get("event_id", ""),
        occurred_ms=it.occurred_ms,
        recorded_ms=it.recorded_ms,
        user=it.user_id,
    )


def learned(row: Sequence[Any]) -> Learned:
    it = LearnedRow._make(row)
    return Learned(
        id=it.id,
        type=LearningType(it.type),
        text=it.text,
        subject=it.subject,
        confidence=it.confidence,
        observation_id=it.observation_id,
        position=it.position,
        trust=Trust(it.trust),
        priority=Priority(it.priority),
        owner=Owner(it.owner),
        origin=it.origin,
        project=it.project,
        session=it.session_id,
        learned_ms=it.learned_ms,
        superseded_by=it.superseded_by,
        scope=Scope.PROJECT if it.project else Scope.PERSON,
    )


def work(row: Sequence[Any]) -> Work:
    it = WorkRow._make(row)
    return Work(
        id=it.id,
        stage=_STAGES[it.stage],
        session=it.session_id,
        turn=it.turn,
        first_position=it.first_position,
        last_position=it.last_position,
        closed_ms=it.closed_ms,
        state=_STATES[it.state],
        attempts=it.attempts,
        token=it.token,
        reason=it.reason,
        waits=it.waits,
    )


def action(row: Sequence[Any]) -> Action:
    it = ActionRow._make(row)
    return Action(
        id=it.id,
        text=it.text,
        priority=Priority(it.priority),
        owner=Owner(it.owner),
        status=ActionStatus(it.status),
        project=it.project,
        created_ms=it.created_ms,
        trust=Trust(it.trust),
        version=it.version,
        closed_by=it.closed_by,
        reason=it.reason,
    )


def session(row: Sequence[Any]) -> Session:
    it = SessionRow._make(row)
    return Session(
        id=it.session_id,
        project=it.project,
        started_ms=it.started_ms,
        last_ms=it.last_ms,
        ended_ms=it.ended_ms,
        message_count=it.message_count,
        observation_count=it.observation_count,
        turn=it.turn,
        shown=frozenset(it.shown.split()),
    )
