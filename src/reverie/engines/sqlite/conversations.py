"""The running conversations: messages that point at observations, segments, and the cache ledger."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.versioned_table import Table, columns_of
from reverie.foundation.ids import content_address, tail_of
from reverie.language.host_tags import from_metadata
from reverie.records import JSON
from reverie.records.conversation_values import Block, LedgerEntry, Message, Role, Segment, SegmentState, ToolCall

_MESSAGE = (
    "m.id, m.segment_id, m.turn, m.role, m.call_id, m.calls, coalesce(o.text, ''), coalesce(o.occurred_ms, 0), "
    "coalesce(o.data, '{}')"
)
_CHECKED = "id, segment_id, turn, role, call_id, calls"  # of these; the others are columns of the log
_MESSAGES = (
    f"SELECT {_MESSAGE} FROM messages m "
    "LEFT JOIN observations o ON o.user_id = m.user_id AND o.fingerprint = m.fingerprint "
    "WHERE m.user_id = ? AND m.continuum_id = ? AND m.segment_id = ? "
    "AND (m.fingerprint IS NULL OR o.id IS NOT NULL) ORDER BY m.place"
)
_ADD_MESSAGE = (
    "INSERT OR IGNORE INTO messages "
    "SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM messages "
    "WHERE user_id = ?1 AND continuum_id = ?2"
)
_LAST_TURN = (
    "SELECT max(turn) FROM (SELECT max(turn) AS turn FROM messages WHERE user_id = ?1 AND continuum_id = ?2 "
    "UNION SELECT max(last_turn) FROM segments WHERE user_id = ?1 AND continuum_id = ?2)"
)

_ENTRY = "place, shared, data"
_ADD_ENTRY = (
    "INSERT INTO cache_ledger "
    "SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM cache_ledger "
    "WHERE user_id = ?1 AND continuum_id = ?2"
)
# The newest ones, and those before them with which the oldest of them shares blocks.
_MINE = "FROM cache_ledger WHERE user_id = ?1 AND continuum_id = ?2"
_OLDEST = f"SELECT min(place) FROM (SELECT place {_MINE} ORDER BY place DESC LIMIT ?3)"
_START = f"SELECT max(place) {_MINE} AND shared = 0 AND place <= ({_OLDEST})"
_ENTRIES = f"SELECT {_ENTRY} {_MINE} AND place >= coalesce(({_START}), 0) ORDER BY place"
_EXPIRE_ENTRIES = (
    "DELETE FROM cache_ledger AS old WHERE user_id = ?1 AND at_ms < ?2 AND place < (SELECT max(place) "
    "FROM cache_ledger AS start WHERE start.user_id = ?1 AND start.continuum_id = old.continuum_id "
    "AND start.shared = 0 AND start.at_ms < ?2)"
)

_SECTION_TEXT = "SELECT text FROM section_texts WHERE user_id = ? AND hash = ?"
_ADD_SECTION_TEXT = "INSERT OR IGNORE INTO section_texts VALUES (?, ?, ?)"
_DELETE_UNNAMED_TEXTS = (
    "DELETE FROM section_texts WHERE user_id = ?1 AND hash NOT IN "
    "(SELECT json_extract(block.value, '$.address') FROM cache_ledger, json_each(data, '$.blocks') "
    "AS block WHERE cache_ledger.user_id = ?1)"
)


class SqliteConversations:
    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user
        reads = {
            "state": SegmentState,
            "tools_used": lambda told: tuple(rows.strings(told)),
            "done": lambda told: frozenset(rows.strings(told)),
        }
        self._segments = Table(database, user, "segments", Segment, columns_of(Segment), reads=reads)

    def add(self, continuum_id: str, message: Message) -> None:
        """Put a message at the end; one that the conversation has is a no-op. Its text has one home, in the log."""
        calls = json.dumps([[call.id, call.name] for call in message.tool_calls])
        with self._db.write():
            self._db.execute(
                _ADD_MESSAGE,
                (
                    self._user,
                    continuum_id,
                    message.id,
                    None if message.tool_calls and not message.text else tail_of(message.id),
                    message.segment_id,
                    message.turn,
                    message.role.value,
                    message.call_id,
                    calls,
                ),
            )

    def messages(self, continuum_id: str, segment_id: str) -> list[Message]:
        """In order, with their texts from the log; what was forgotten is left out, with its pair."""
        asked = (self._user, continuum_id, segment_id)
        found = self._db.records("messages", _CHECKED, _kept, _MESSAGES, asked)
        return list(_paired(found))

    def last_turn(self, continuum_id: str) -> int:
        return self._db.value(_LAST_TURN, (self._user, continuum_id)) or 0

    def put_segment(self, segment: Segment, version: int | None = None) -> Segment:
        """Add or replace; with `version` only if it is still that, else StaleVersion."""
        return self._segments.put(segment, version)

    def segments(self, continuum_id: str, limit: int = 30) -> list[Segment]:
        """The newest, oldest of them first."""
        newest = f"ORDER BY first_turn DESC, began_ms DESC, id DESC LIMIT {limit:d}"  # clocks are not trusted
        return self._segments.select("continuum_id = ?", (continuum_id,), newest)[::-1]

    def segment(self, segment_id: str) -> Segment | None:
        return self._segments.get(segment_id)

    def all_segments(self) -> list[Segment]:
        """Of all conversations, oldest first."""
        return self._segments.select(order="ORDER BY continuum_id, first_turn, began_ms, id")

    def open_segments(self) -> list[Segment]:
        """Every segment that is not collapsed, of all conversations."""
        return self._segments.select("state != 'collapsed'", (), "ORDER BY continuum_id, first_turn, began_ms, id")


@dataclass(frozen=True)
class _Kept:
    """A row of a conversation: its message, the calls it made by id and name, and what a tool's result answers."""

    message: Message
    asked: Sequence[tuple[str, str]]
    tool_input: JSON


def _paired(found: Sequence[_Kept]) -> Iterator[Message]:
    """Calls with their results, which stand right behind them. Providers refuse half a pair, and some number calls anew
    with every request: so a result belongs to the calls before it, and to no others."""
    place = 0
    while place < len(found):
        kept = found[place]
        place += 1
        behind = []
        while place < len(found) and found[place].message.role is Role.TOOL:
            behind.append(found[place])
            place += 1
        if kept.message.role is Role.TOOL:
            continue
        called = {call for call, _ in kept.asked}
        results = {one.message.call_id: one for one in behind if one.message.call_id in called}
        calls = tuple(ToolCall(call, name, results[call].tool_input) for call, name in kept.asked if call in results)
        if kept.message.text or calls:
            yield replace(kept.message, tool_calls=calls)
        yield from (results[call.id].message for call in calls)


def _kept(row: Row) -> _Kept:
    message_id, segment_id, turn, role, call_id, calls, text, at_ms, data = row
    told = rows.told(data)
    tool, metadata = told.get("tool") or {}, told.get("metadata") or {}
    if not isinstance(tool, dict) or not isinstance(metadata, dict) or not isinstance(text, str):
        raise ValueError("its observation cannot be read")
    message = Message(
        id=message_id,
        role=Role(role),
        text=text,
        at_ms=at_ms,
        turn=turn,
        segment_id=segment_id,
        call_id=call_id,
        tool_name=str(tool.get("name", "")),
        failed=bool(tool.get("failed")),
        of_host=from_metadata(metadata),
    )
    return _Kept(message, [(str(call), str(name)) for call, name in json.loads(calls)], tool.get("input"))


class SqliteLedger:
    """A request repeats most of the one before it, so that an entry keeps only the blocks in which it differs."""

    def __init__(self, database: Database, user: str) -> None:
        self._db = database
        self._user = user

    def add(self, entry: LedgerEntry) -> None:
        with self._db.write():
            last = self.last(entry.continuum_id)
            # A segment begins a chain of its own: what is read back is never longer than a segment.
            follows = last is not None and last.segment_id == entry.segment_id
            shared = _shared(last.blocks, entry.blocks) if last and follows else 0
            self._db.execute(
                _ADD_ENTRY,
                (
                    self._user,
                    entry.continuum_id,
                    entry.turn,
                    entry.request,
                    entry.at_ms,
                    shared,
                    json.dumps(asdict(replace(entry, blocks=entry.blocks[shared:])), sort_keys=True),
                ),
            )

    def last(self, continuum_id: str) -> LedgerEntry | None:
        return next(iter(self.entries(continuum_id, 1)), None)

    def entries(self, continuum_id: str, limit: int = 100) -> list[LedgerEntry]:
        """The newest, oldest of them first."""
        found: list[LedgerEntry] = []
        before = None  # the place of the entry that the next one may share blocks with
        asked = (self._user, continuum_id, limit)
        for place, shared, entry in self._db.records("cache_ledger", _ENTRY, _entry, _ENTRIES, asked):
            if shared and before != place - 1:
                continue  # the one before it is damaged
            before = place
            found.append(replace(entry, blocks=(*found[-1].blocks[:shared], *entry.blocks)) if shared else entry)
        return found[-limit:]

    def expire(self, before_ms: int) -> int:
        """Drop entries that are older, and the bytes of sections that no entry names any more; says how many went.

        An entry says in which blocks it differs from the one before, so that what goes ends where a chain begins.
        """
        with self._db.write():
            self._db.execute(_EXPIRE_ENTRIES, (self._user, before_ms))
            gone = self._db.connection.changes()
            if gone:
                self._db.execute(_DELETE_UNNAMED_TEXTS, (self._user,))
        return gone

    def keep(self, text: str) -> str:
        """Keep the bytes of a section; returns their address."""
        address = content_address(text)
        with self._db.write():
            self._db.execute(_ADD_SECTION_TEXT, (self._user, address, text))
        return address

    def text(self, address: str) -> str | None:
        found = self._db.value(_SECTION_TEXT, (self._user, address))
        return None if found is None else str(found)


def _shared(before: Sequence[Block], now: Sequence[Block]) -> int:
    pairs = zip(before, now, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(before), len(now)))


def _entry(row: Row) -> tuple[int, int, LedgerEntry]:
    place, shared, data = row
    values: dict[str, Any] = rows.told(data)
    return place, shared, LedgerEntry(**{**values, "blocks": tuple(Block(**one) for one in values["blocks"])})
