"""Rows <-> values: the one place that knows how a record is laid out in a table."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

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
from reverie.text import whole_letters

OBSERVATION = (
    "id, position, session_id, sequence_num, turn, kind, event, speaker, project, source, text, data, "
    "occurred_ms, recorded_ms, user_id"
)
LEARNED = (
    "id, type, text, subject, confidence, observation_id, position, trust, priority, owner, origin, project, "
    "session_id, learned_ms, superseded_by"
)
WORK = "id, stage, session_id, turn, first_position, last_position, closed_ms, state, attempts, token, reason, waits"
ACTION = "id, text, priority, owner, status, project, created_ms, trust, version, closed_by, reason"
SESSION = "session_id, project, started_ms, last_ms, ended_ms, message_count, observation_count, turn, shown"

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
    """What an act, a tick or a span says, as it was written."""
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
    data = _DECODE(row[11], 0)[0] if row[11] != "{}" else {}
    tool = data.get("tool")
    return Observation(
        id=row[0],
        position=row[1],
        session=row[2],
        sequence_num=row[3],
        turn=row[4],
        kind=_KINDS[row[5]],
        event=row[6],
        speaker=row[7],
        project=row[8],
        source=row[9],
        text=row[10],
        tool=ToolUse(tool["name"], tool["input"], tool["failed"]) if tool else None,
        metadata=data.get("metadata", {}),
        event_id=data.get("event_id", ""),
        occurred_ms=row[12],
        recorded_ms=row[13],
        user=row[14],
    )


def learned(row: Sequence[Any]) -> Learned:
    return Learned(
        id=row[0],
        type=LearningType(row[1]),
        text=row[2],
        subject=row[3],
        confidence=row[4],
        observation_id=row[5],
        position=row[6],
        trust=Trust(row[7]),
        priority=Priority(row[8]),
        owner=Owner(row[9]),
        origin=row[10],
        project=row[11],
        session=row[12],
        learned_ms=row[13],
        superseded_by=row[14],
        scope=Scope.PROJECT if row[11] else Scope.PERSON,
    )


def work(row: Sequence[Any]) -> Work:
    return Work(
        id=row[0],
        stage=_STAGES[row[1]],
        session=row[2],
        turn=row[3],
        first_position=row[4],
        last_position=row[5],
        closed_ms=row[6],
        state=_STATES[row[7]],
        attempts=row[8],
        token=row[9],
        reason=row[10],
        waits=row[11],
    )


def action(row: Sequence[Any]) -> Action:
    return Action(
        id=row[0],
        text=row[1],
        priority=Priority(row[2]),
        owner=Owner(row[3]),
        status=ActionStatus(row[4]),
        project=row[5],
        created_ms=row[6],
        trust=Trust(row[7]),
        version=row[8],
        closed_by=row[9],
        reason=row[10],
    )


def session(row: Sequence[Any]) -> Session:
    return Session(
        id=row[0],
        project=row[1],
        started_ms=row[2],
        last_ms=row[3],
        ended_ms=row[4],
        message_count=row[5],
        observation_count=row[6],
        turn=row[7],
        shown=frozenset(row[8].split()),
    )
