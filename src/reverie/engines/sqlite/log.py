"""The log: what came in, in order, once. Turns open with a prompt and are closed here, with a tick."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from reverie.engines.sqlite import log_sql, rows
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.fts import fts_query
from reverie.engines.sqlite.log_batch import LogBatch, RunningSession, running_session, running_values
from reverie.engines.sqlite.turns import Turns, observations
from reverie.errors import BadInput, StoreError
from reverie.foundation.ids import fingerprint, fingerprints_under, id_by_words, tail_of, ulid
from reverie.ports import Env, Meanwhile
from reverie.records import JSON, RECALL_TOOLS, Captured, Hit, Kind, Observation, Session, Stage, Turn, Work, title_of
from reverie.settings import InboxSettings

_ASKED_AT_ONCE = 500  # fingerprints in one query; SQLite takes far more, but caches the statement only if it recurs

_RECALL_TOOLS = json.dumps(sorted(RECALL_TOOLS))

_ENDS_TURN = "Stop"
_ENDS_SESSION = "SessionEnd"
_FORGETS_CONTEXT = "PreCompact"
_OF_AGENTS = "hook"  # the source of what an agent reports while it runs, by hooks or callbacks


def _content(captured: Captured) -> Row:
    """Return the columns of an event's content."""
    return captured.kind.value, captured.event, captured.speaker, rows.storable(captured.text), rows.pack(captured)


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
        self._db.execute(log_sql.CLEAR_DRAINED, (self._user,))
        self._db.execute_many(log_sql.ADD_DRAINED, [(self._user, file, count) for file, count in drained.items()])

    def drained(self) -> dict[str, int]:
        return dict(self._db.records("drains", "file, records", tuple, log_sql.DRAINED, (self._user,)))

    @contextmanager
    def _batch(self, meanwhile: Meanwhile | None = None) -> Iterator[LogBatch]:
        with self._db.write():
            now = self._env.now_ms()
            forgot = self._db.value(log_sql.HAS_FORGOTTEN, (self._user,)) is not None
            batch = LogBatch(now, self._db.recording_time(now), forgot)
            yield batch
            self._write(batch)
            if not self._db.is_nested:  # else it may still be rolled back by others
                self._turns.wrote(batch.readable)
                if meanwhile and (closed := self._closed(batch)):
                    self._db.commit_while(partial(meanwhile, closed), log_sql.INDEX_TEXTS, batch.places)
                    return
            self._db.execute(log_sql.INDEX_TEXTS, batch.places)

    def _closed(self, batch: LogBatch) -> dict[int, Turn]:
        """The turns that close with a batch, by their work."""
        closed = {}
        for work in batch.work:
            with suppress(BadInput, StoreError, ValueError):  # who distils it says what is wrong with it
                closed[work.id] = self._turns.turn(work)
        return closed

    def _write(self, batch: LogBatch) -> None:
        self._db.execute_many(log_sql.ADD_OBSERVATION, batch.observations)
        self._db.execute_many(log_sql.ADD_TICK, batch.ticks)
        self._db.execute_many(
            log_sql.ADD_WORK,
            [(self._user, w.id, w.session, w.turn, w.first_position, w.last_position, w.closed_ms) for w in batch.work],
        )
        for session in batch.running.values():
            self._save(session)

    def _append_one(
        self, whole: Captured, captured: Captured, mark: bytes | None, batch: LogBatch
    ) -> Observation | None:
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

    def _mark(self, captured: Captured, batch: LogBatch) -> bytes | None:
        """Return the key by which a repeat of an event is known, if the host gave it an id."""
        return self._marking(captured.session, batch)(captured.event_id) if captured.event_id else None

    def _marking(self, session_id: str, batch: LogBatch) -> Callable[[str], bytes]:
        if not (mark := batch.marking.get(session_id)):
            mark = batch.marking[session_id] = fingerprints_under(self._key, self._user, session_id)
        return mark

    def _mark_without_id(self, whole: Captured, captured: Captured, session: RunningSession, batch: LogBatch) -> bytes:
        """Return the key by which a repeat of an event without an id is known.

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

    def _first_new(self, mark: Callable[[int], bytes], batch: LogBatch) -> bytes:
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
        """Return those of these events that are in the log, or were before they were forgotten for good."""
        mark = fingerprints_under(self._key, self._user, rows.storable(session_id))
        ids = {mark(event_id): event_id for event_id in event_ids}
        batch = LogBatch(0, 0, has_tombstones=True)
        self._find(list(ids), batch)
        return {ids[found] for found in batch.positions}

    def _find(self, marks: Sequence[bytes], batch: LogBatch) -> None:
        """Learn where the observations with these fingerprints are, or were before they were forgotten."""
        for start in range(0, len(marks), _ASKED_AT_ONCE):
            asked = marks[start : start + _ASKED_AT_ONCE]
            for table in ("observations", "tombstones") if batch.has_tombstones else ("observations",):
                found = self._db.rows(log_sql.positions_of(len(asked), table), (self._user, *asked))
                batch.positions.update(found)

    def _insert(self, o: Observation, mark: bytes, batch: LogBatch) -> None:
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

    def _advance(self, session: RunningSession, o: Observation, batch: LogBatch) -> None:
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

    def _load(self, captured: Captured, batch: LogBatch) -> RunningSession:
        session = self._running(captured.session) or RunningSession(
            captured.session, captured.project, captured.source, captured.occurred_ms, batch.now
        )
        batch.running[session.session_id] = session
        return session

    def _running(self, session_id: str) -> RunningSession | None:
        asked = (self._user, session_id)
        return self._db.record("sessions", log_sql.RUNNING, running_session, log_sql.RUNNING_SESSION, asked)

    def _save(self, session: RunningSession) -> None:
        if session.observation_count:
            self._db.execute(log_sql.SAVE_SESSION, (self._user, *running_values(session)))

    # ---- turns

    def end_silent_sessions(self, now_ms: int) -> int:
        """Agents in a program (SDK callbacks) never report their end, and one that was killed cannot.

        By when its last event came in, which the clock said; one that went back ends it at once, never late. An event
        that comes all the same opens it again.
        """
        silent = (self._user, _OF_AGENTS, now_ms, self._silence_ms)
        if not self._db.rows(log_sql.HAS_SILENT, silent):
            return 0
        with self._db.write():
            return len(self._db.rows(log_sql.END_SILENT, silent))

    def close_due_turns(self, now_ms: int) -> int:
        """Close each turn whose end has come. A clock that went back makes it come at once, never late."""
        due = (self._user, self._grace_ms, self._idle_ms, now_ms)
        if not self._db.rows(f"{log_sql.WITH_DUE_TURNS} LIMIT 1", due):
            return 0
        with self._batch() as batch:
            batch.now = now_ms
            for session in self._db.records("sessions", log_sql.RUNNING, running_session, log_sql.WITH_DUE_TURNS, due):
                batch.running[session.session_id] = session
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

    def _close(self, session: RunningSession, reason: str, batch: LogBatch) -> None:
        """A tick with the turn's last position, and work for the inbox. What comes later is a supplement."""
        position = self._db.next_position()
        first, last = session.closed_position + 1, session.last_position
        tick = (self._user, position, "turn", session.session_id, session.turn, first, last, reason, batch.now)
        batch.ticks.append(rows.sealed(tick))
        batch.work.append(
            Work(
                id=position,
                stage=Stage.RULES,
                session=session.session_id,
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
        asked = (self._user, limit)
        return self._db.records("sessions", rows.SESSION, rows.session, log_sql.LATEST_SESSIONS, asked)

    def session(self, session_id: str) -> Session | None:
        asked = (self._user, rows.storable(session_id))
        return self._db.record("sessions", rows.SESSION, rows.session, log_sql.SESSION, asked)

    def note_injection(self, session_id: str, shown: frozenset[str]) -> None:
        with self._db.write():
            self._db.execute(log_sql.SET_SHOWN, (" ".join(sorted(shown)), self._user, rows.storable(session_id)))

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]:
        if not (words := fts_query(query)):
            return []
        asked = (words, self._user, project, project, _RECALL_TOOLS, limit)
        return self._db.records("observations", log_sql.HIT, _hit, log_sql.SEARCH, asked)

    def has_tool_call_naming(self, word: str, after: int) -> bool:
        return self._db.value(log_sql.HAS_TOOL_CALL_NAMING, (self._user, after, word, word)) is not None

    # ---- what someone asked for

    def act(self, kind: str, target: str, data: Mapping[str, JSON], at_ms: int) -> int:
        with self._db.write():
            position = self._db.next_position()
            written = (self._user, position, kind, target, json.dumps(dict(data), sort_keys=True), at_ms)
            self._db.execute(log_sql.ADD_ACT, rows.sealed(written))
        return position

    def acts(self, kind: str | None = None, target: str | None = None) -> list[tuple[int, str, str, JSON]]:
        return self._db.records("acts", log_sql.ACT, _act, log_sql.ACTS, (self._user, kind, target))


def _hit(row: Row) -> Hit:
    observation_id, kind, title, text, occurred_ms, session, project, speaker, rank = row
    return Hit(
        id=observation_id,
        what=kind,
        text=f"{title}\n{text}" if title else text,
        when_ms=occurred_ms,
        session=session,
        project=project,
        speaker=speaker,
        score=-rank,
    )


def _act(row: Row) -> tuple[int, str, str, JSON]:
    position, kind, target, data = row
    return position, kind, target, rows.told(data)
