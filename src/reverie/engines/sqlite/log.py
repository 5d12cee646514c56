"""The log: what came in, in order, once. Turns open with a prompt and are closed here, with a tick."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.fts import fts_query
from reverie.engines.sqlite.turns import Turns, observations
from reverie.errors import BadInput, StoreError
from reverie.ids import fingerprint, fingerprints_under, id_by_words, tail_of, ulid
from reverie.ports import Env, Meanwhile
from reverie.records import JSON, RECALL_TOOLS, Captured, Hit, Kind, Observation, Session, Stage, Turn, Work, title_of
from reverie.settings import InboxSettings

_ASKED_AT_ONCE = 500  # fingerprints in one query; SQLite takes far more, but caches the statement only if it recurs

# Places in the log are given to one transaction at a time: between its first and its last there is nobody else's row.
_INDEX_TEXTS = (
    "INSERT INTO observations_fts (rowid, title, text) "
    "SELECT position, title, text FROM observation_text WHERE position BETWEEN ? AND ?"
)
_RECALL_TOOLS = json.dumps(sorted(RECALL_TOOLS))

_ENDS_TURN = "Stop"
_ENDS_SESSION = "SessionEnd"
_FORGETS_CONTEXT = "PreCompact"
_OF_AGENTS = "hook"  # the source of what an agent reports while it runs, by hooks or callbacks


@dataclass(slots=True)
class _Running:
    """A session while a batch is written: read once, changed in memory, written back once."""

    id: str
    project: str
    source: str
    started_ms: int
    last_ms: int
    stopped_ms: int | None = None
    ended_ms: int | None = None
    message_count: int = 0
    observation_count: int = 0
    turn: int = 0
    last_position: int = 0
    closed_position: int = 0
    shown: str = ""

    @property
    def has_open_turn(self) -> bool:
        return self.last_position > self.closed_position


@dataclass(slots=True)
class _Batch:
    """What one transaction adds: gathered row by row, written at its end, a table at a time."""

    now: int  # by the clock
    recorded_ms: int  # by the clock as far as it can be believed
    has_tombstones: bool  # whether this user has ever forgotten something for good
    from_spool: bool = False
    running: dict[str, _Running] = field(default_factory=dict)
    marking: dict[str, Callable[[str], bytes]] = field(default_factory=dict)  # by session
    positions: dict[bytes, int] = field(default_factory=dict)  # of observations by fingerprint, old and new
    observations: list[Row] = field(default_factory=list)
    # That are what a read would give, with the characters of their rows.
    readable: list[tuple[Observation, int]] = field(default_factory=list)
    ticks: list[Row] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)

    @property
    def places(self) -> tuple[int, int]:
        """Of the first and the last observation."""
        return (self.observations[0][1], self.observations[-1][1]) if self.observations else (0, 0)


def _content(captured: Captured) -> Row:
    """What an event says, as its row will have it."""
    return captured.kind.value, captured.event, captured.speaker, rows.storable(captured.text), rows.pack(captured)


_RUNNING = (
    "session_id, project, source, started_ms, last_ms, stopped_ms, ended_ms, message_count, observation_count, turn, "
    "last_position, closed_position, shown"
)
IDLE_SESSION_SECONDS = 1_800.0  # an agent that is silent for longer has gone, told or untold


class SqliteLog:
    def __init__(self, database: Database, user: str, store_key: bytes, env: Env, settings: InboxSettings) -> None:
        self._db = database
        self._user = user
        self._key = store_key
        self._env = env
        self._grace_ms = int(settings.turn_grace_seconds * 1000)
        self._idle_ms = int(settings.idle_turn_seconds * 1000)
        self._silence_ms = int(IDLE_SESSION_SECONDS * 1000)
        self._turns = Turns(database, user)

    # ---- writing

    def append(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
        kept: Sequence[Captured] | None = None,
    ) -> list[Observation | None]:
        """Store what is new, all or nothing; None stands for a repeat."""
        with self._batch(meanwhile) as batch:
            if drained is not None:
                self._note_drained(drained)
                batch.from_spool = True
            captures = [rows.with_storable_names(captured) for captured in captures]
            kept = captures if kept is None else [rows.with_storable_names(captured) for captured in kept]
            marks = [self._mark(captured, batch) for captured in captures]
            self._find([mark for mark in marks if mark], batch)
            return [self._append_one(*one, batch) for one in zip(captures, kept, marks, strict=True)]

    def _note_drained(self, drained: Mapping[str, int]) -> None:
        self._db.execute("DELETE FROM drains WHERE user_id = ?", (self._user,))
        self._db.execute_many(
            "INSERT INTO drains VALUES (?, ?, ?)", [(self._user, file, count) for file, count in drained.items()]
        )

    def drained(self) -> dict[str, int]:
        sql = "SELECT file, records FROM drains WHERE user_id = ?"
        return dict(self._db.records("drains", "file, records", tuple, sql, (self._user,)))

    @contextmanager
    def _batch(self, meanwhile: Meanwhile | None = None) -> Iterator[_Batch]:
        with self._db.write():
            now = self._env.now_ms()
            forgot = self._db.value("SELECT 1 FROM tombstones WHERE user_id = ? LIMIT 1", (self._user,)) is not None
            batch = _Batch(now, self._db.recording_time(now), forgot)
            yield batch
            self._write(batch)
            if not self._db.is_nested:  # else it may still be rolled back by others
                self._turns.wrote(batch.readable)
                if meanwhile and (closed := self._closed(batch)):
                    self._db.commit_while(partial(meanwhile, closed), _INDEX_TEXTS, batch.places)
                    return
            self._db.execute(_INDEX_TEXTS, batch.places)

    def _closed(self, batch: _Batch) -> dict[int, Turn]:
        """The turns that close with a batch, by their work."""
        closed = {}
        for work in batch.work:
            with suppress(BadInput, StoreError, ValueError):  # who distils it says what is wrong with it
                closed[work.id] = self._turns.turn(work)
        return closed

    def _write(self, batch: _Batch) -> None:
        self._db.execute_many(
            "INSERT INTO observations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", batch.observations
        )
        self._db.execute_many("INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)", batch.ticks)
        self._db.execute_many(
            "INSERT INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, "
            "state) VALUES (?, ?, 'rules', ?, ?, ?, ?, ?, 'pending')",
            [(self._user, w.id, w.session, w.turn, w.first_position, w.last_position, w.closed_ms) for w in batch.work],
        )
        for session in batch.running.values():
            self._save(session)

    def _append_one(self, whole: Captured, captured: Captured, mark: bytes | None, batch: _Batch) -> Observation | None:
        """Store what is kept of one event; the `whole` of it says which event it is."""
        session = batch.running.get(captured.session) or self._load(captured, batch)
        mark = mark or self._mark_without_id(whole, captured, session, batch)
        if mark in batch.positions:
            return None
        if captured.kind in (Kind.USER_MESSAGE, Kind.NOTE):
            if session.has_open_turn:
                self._close(session, "next prompt", batch)
            session.turn += 1
        observation = Observation(
            kind=captured.kind,
            text=captured.text,
            session=captured.session,
            occurred_ms=captured.occurred_ms,
            speaker=captured.speaker,
            project=captured.project,
            tool=captured.tool,
            event=captured.event,
            event_id=captured.event_id,
            source=captured.source,
            metadata=captured.metadata,
            id=ulid(captured.occurred_ms, mark),
            position=self._db.next_position(),
            sequence_num=session.observation_count + 1,
            turn=session.turn,
            recorded_ms=batch.recorded_ms,
            user=self._user,
        )
        self._insert(observation, mark, batch)
        self._advance(session, observation, batch)
        return observation

    def _mark(self, captured: Captured, batch: _Batch) -> bytes | None:
        """What makes an event itself, if the host gave it an id."""
        return self._marking(captured.session, batch)(captured.event_id) if captured.event_id else None

    def _marking(self, session_id: str, batch: _Batch) -> Callable[[str], bytes]:
        if not (mark := batch.marking.get(session_id)):
            mark = batch.marking[session_id] = fingerprints_under(self._key, self._user, session_id)
        return mark

    def _mark_without_id(self, whole: Captured, captured: Captured, session: _Running, batch: _Batch) -> bytes:
        """What makes an event itself that has no id.

        Words: how often they were said in this session, so that a transcript arrives at the same. Anything else: what
        it says, and what it comes after. So it never is one that is in the log: that each record of the spool comes in
        once is the drain's to see to.
        """
        if id_by_words(whole, 1):
            mark = self._marking(captured.session, batch)
            return self._first_new(lambda number: mark(id_by_words(whole, number)), batch)
        content = "\0".join(map(str, _content(whole)))
        mark_here = fingerprint(self._key, self._user, captured.session, content, str(session.last_position))
        self._find([mark_here], batch)
        return mark_here

    def _first_new(self, mark: Callable[[int], bytes], batch: _Batch) -> bytes:
        """The fingerprint with the first number that nobody has; without asking for each of them."""

        def is_taken(number: int) -> bool:
            if mark(number) not in batch.positions:
                self._find([mark(number)], batch)
            return mark(number) in batch.positions

        free = 1
        while is_taken(free):
            free *= 2
        taken = free // 2
        while free - taken > 1:
            middle = (taken + free) // 2
            taken, free = (middle, free) if is_taken(middle) else (taken, middle)
        return mark(free)

    def known(self, session_id: str, event_ids: Sequence[str]) -> set[str]:
        """Which of these events are in the log, or were before they were forgotten for good."""
        mark = fingerprints_under(self._key, self._user, rows.storable(session_id))
        ids = {mark(event_id): event_id for event_id in event_ids}
        batch = _Batch(0, 0, has_tombstones=True)
        self._find(list(ids), batch)
        return {ids[found] for found in batch.positions}

    def _find(self, marks: Sequence[bytes], batch: _Batch) -> None:
        """Learn where the observations with these fingerprints are, or were before they were forgotten."""
        for start in range(0, len(marks), _ASKED_AT_ONCE):
            asked = marks[start : start + _ASKED_AT_ONCE]
            for table in ("observations", "tombstones") if batch.has_tombstones else ("observations",):
                sql = (
                    f"SELECT fingerprint, position FROM {table} WHERE user_id = ? "
                    f"AND fingerprint IN ({','.join('?' * len(asked))})"
                )
                batch.positions.update(self._db.rows(sql, (self._user, *asked)))

    def _insert(self, o: Observation, mark: bytes, batch: _Batch) -> None:
        title, text, data = rows.storable(title_of(o.tool)), rows.storable(o.text), rows.pack(o)
        batch.positions[mark] = o.position
        row = (
            self._user, o.position, mark, o.id, o.session, o.sequence_num, o.turn, o.kind.value, o.event, o.speaker,
            o.project, o.source, title, text, data, o.occurred_ms, o.recorded_ms,
        )  # fmt: skip
        batch.observations.append(rows.sealed(row))
        # Halves of surrogate pairs are no JSON; two that meet there become one.
        if batch.from_spool and text == o.text and "\\ud" not in data:
            batch.readable.append((o, len(text) + len(data)))

    def _advance(self, session: _Running, o: Observation, batch: _Batch) -> None:
        session.observation_count += 1
        session.message_count += o.kind in (Kind.USER_MESSAGE, Kind.ASSISTANT_MESSAGE)
        session.last_position = o.position
        session.last_ms = batch.now
        session.project = session.project or o.project
        session.source = o.source if o.source == _OF_AGENTS else session.source  # imported before, and resumed
        session.ended_ms = None
        if o.event == _ENDS_TURN:
            session.stopped_ms = min(o.occurred_ms, batch.now)
        if o.event == _FORGETS_CONTEXT:
            session.shown = ""
        if o.event == _ENDS_SESSION:
            session.ended_ms = o.occurred_ms
            self._close(session, "session end", batch)
        elif o.kind is Kind.NOTE:
            self._close(session, "note", batch)

    def _load(self, captured: Captured, batch: _Batch) -> _Running:
        session = self._running(captured.session) or _Running(
            captured.session, captured.project, captured.source, captured.occurred_ms, batch.now
        )
        batch.running[session.id] = session
        return session

    def _running(self, session_id: str) -> _Running | None:
        sql = f"SELECT {_RUNNING} FROM sessions WHERE user_id = ? AND session_id = ?"
        return self._db.record("sessions", _RUNNING, lambda row: _Running(*row), sql, (self._user, session_id))

    def _save(self, s: _Running) -> None:
        if not s.observation_count:
            return
        self._db.execute(
            f"INSERT OR REPLACE INTO sessions (user_id, {_RUNNING}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._user, s.id, s.project, s.source, s.started_ms, s.last_ms, s.stopped_ms, s.ended_ms,
                s.message_count, s.observation_count, s.turn, s.last_position, s.closed_position, s.shown,
            ),
        )  # fmt: skip

    # ---- turns

    def end_silent_sessions(self, now_ms: int) -> int:
        """Agents in a program (SDK callbacks) never report their end, and one that was killed cannot.

        By when its last event came in, which the clock said; one that went back ends it at once, never late. An event
        that comes all the same opens it again.
        """
        silent = f"user_id = ? AND ended_ms IS NULL AND source = '{_OF_AGENTS}' AND abs(? - last_ms) >= ?"
        arguments = (self._user, now_ms, self._silence_ms)
        if not self._db.rows(f"SELECT 1 FROM sessions WHERE {silent} LIMIT 1", arguments):
            return 0
        with self._db.write():
            ended = self._db.rows(
                f"UPDATE sessions SET ended_ms = last_ms WHERE {silent} RETURNING session_id", arguments
            )
        return len(ended)

    def close_due_turns(self, now_ms: int) -> int:
        """Close each turn whose end has come. A clock that went back makes it come at once, never late."""
        due = (
            "last_position > closed_position AND (ended_ms IS NOT NULL"
            " OR stopped_ms IS NOT NULL AND (stopped_ms + ?2 <= ?4 OR stopped_ms > ?4)"
            " OR last_ms + ?3 <= ?4 OR last_ms > ?4 + ?3)"
        )
        query = f"SELECT {_RUNNING} FROM sessions WHERE user_id = ?1 AND {due}"
        arguments = (self._user, self._grace_ms, self._idle_ms, now_ms)
        if not self._db.rows(query + " LIMIT 1", arguments):
            return 0
        with self._batch() as batch:
            batch.now = now_ms
            for session in self._db.records("sessions", _RUNNING, lambda row: _Running(*row), query, arguments):
                batch.running[session.id] = session
                self._close(session, "stop" if session.stopped_ms else "idle", batch)
        return len(batch.running)

    def close_turn(self, session_id: str) -> None:
        self._close_now([session_id], "conversation")

    def close_turns(self, session_ids: Sequence[str]) -> None:
        self._close_now(session_ids, "import")

    def _close_now(self, session_ids: Sequence[str], reason: str) -> None:
        with self._batch() as batch:
            for session_id in session_ids:
                session = self._running(session_id)
                if session and session.has_open_turn:
                    batch.running[session_id] = session
                    self._close(session, reason, batch)

    def _close(self, session: _Running, reason: str, batch: _Batch) -> None:
        """A tick with the turn's last position, and work for the inbox. What comes later is a supplement."""
        position = self._db.next_position()
        first, last = session.closed_position + 1, session.last_position
        tick = (self._user, position, "turn", session.id, session.turn, first, last, reason, batch.now)
        batch.ticks.append(rows.sealed(tick))
        batch.work.append(
            Work(
                id=position,
                stage=Stage.RULES,
                session=session.id,
                turn=session.turn,
                first_position=first,
                last_position=last,
                closed_ms=batch.now,
            )
        )
        session.closed_position = last
        session.stopped_ms = None

    def turn(self, work: Work) -> Turn:
        return self._turns.turn(work)

    # ---- reading

    def read(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        after: int = 0,
        limit: int = 100,
        newest_first: bool = False,
    ) -> list[Observation]:
        where = "position > ?"
        filters: list[JSON] = [after]
        for column, wanted in (("session_id", session), ("project", project)):
            if wanted is not None:
                where += f" AND {column} = ?"
                filters.append(wanted)
        return observations(
            self._db,
            self._user,
            f"{where} ORDER BY position {'DESC' if newest_first else 'ASC'} LIMIT ?",
            (*filters, limit),
        )

    def get(self, observation_id: str) -> Observation | None:
        mark = tail_of(observation_id)
        found = observations(self._db, self._user, "fingerprint = ? AND id = ?", (mark, observation_id)) if mark else []
        return found[0] if found else None

    def sessions(self, limit: int = 100) -> list[Session]:
        sql = f"SELECT {rows.SESSION} FROM sessions WHERE user_id = ? ORDER BY last_position DESC LIMIT ?"
        return self._db.records("sessions", rows.SESSION, rows.session, sql, (self._user, limit))

    def session(self, session_id: str) -> Session | None:
        sql = f"SELECT {rows.SESSION} FROM sessions WHERE user_id = ? AND session_id = ?"
        return self._db.record("sessions", rows.SESSION, rows.session, sql, (self._user, rows.storable(session_id)))

    def note_injection(self, session_id: str, shown: frozenset[str]) -> None:
        with self._db.write():
            self._db.execute(
                "UPDATE sessions SET shown = ? WHERE user_id = ? AND session_id = ?",
                (" ".join(sorted(shown)), self._user, rows.storable(session_id)),
            )

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]:
        if not (words := fts_query(query)):
            return []
        sql = (
            f"SELECT {_HIT}, f.rank "
            "FROM observations_fts f JOIN observations o ON o.position = f.rowid "
            "WHERE observations_fts MATCH ? AND o.user_id = ? AND (? IS NULL OR o.project IN (?, '')) "
            "AND NOT EXISTS (SELECT 1 FROM items i WHERE i.user_id = o.user_id AND i.deleted_ms IS NOT NULL "
            "AND i.id = o.id) "
            "AND (o.kind != 'tool_call' OR NOT json_valid(o.data) "
            "OR coalesce(json_extract(o.data, '$.tool.name'), '') NOT IN (SELECT value FROM json_each(?))) "
            "ORDER BY f.rank, o.position DESC LIMIT ?"
        )
        found = (words, self._user, project, project, _RECALL_TOOLS, limit)
        return self._db.records("observations", _HIT, _hit, sql, found)

    def has_tool_call_naming(self, word: str, after: int) -> bool:
        sql = (
            "SELECT 1 FROM observations WHERE user_id = ? AND position > ? AND kind = 'tool_call' "
            "AND (instr(data, ?) OR instr(title, ?)) LIMIT 1"
        )
        return self._db.value(sql, (self._user, after, word, word)) is not None

    # ---- what someone asked for

    def act(self, kind: str, target: str, data: Mapping[str, JSON], at_ms: int) -> int:
        with self._db.write():
            position = self._db.next_position()
            self._db.execute(
                "INSERT INTO acts VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows.sealed((self._user, position, kind, target, json.dumps(dict(data), sort_keys=True), at_ms)),
            )
        return position

    def acts(self, kind: str | None = None, target: str | None = None) -> list[tuple[int, str, str, JSON]]:
        sql = (
            "SELECT position, kind, target, data FROM acts WHERE user_id = ?1 "
            "AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR target = ?3) ORDER BY position"
        )
        return self._db.records("acts", "position, kind, target, data", _act, sql, (self._user, kind, target))


_HIT = "o.id, o.kind, o.title, o.text, o.occurred_ms, o.session_id, o.project, o.speaker"


def _hit(row: Row) -> Hit:
    return Hit(
        id=row[0],
        what=row[1],
        text=f"{row[2]}\n{row[3]}" if row[2] else row[3],
        when_ms=row[4],
        session=row[5],
        project=row[6],
        speaker=row[7],
        score=-row[8],
    )


def _act(row: Row) -> tuple[int, str, str, JSON]:
    return row[0], row[1], row[2], rows.told(row[3])
