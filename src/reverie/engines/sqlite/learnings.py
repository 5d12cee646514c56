"""The table of learnings. Derived from the log: cleared and written again by a rebuild, to the same bytes."""

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database, Row
from reverie.engines.sqlite.fts import fts_query
from reverie.foundation.ids import learning_mark, tail_of, ulid
from reverie.records import UNDATED, Hit, Learned, Learning, LearningType, Observation, Scope, Trust, Turn, Work

_RETRACTED = "retracted"
# What was forgotten softly, or whose source was, is told to nobody; nor what waits for a person to look at it.
_NOT_HIDDEN = (
    "NOT EXISTS (SELECT 1 FROM items i WHERE i.user_id = l.user_id AND i.id IN (l.item_id, l.observation_id) "
    "AND (i.deleted_ms IS NOT NULL OR i.lifecycle = 'quarantined'))"
)
# Nor what a newer memory has taken the place of.
_HOLDS = (
    f"{_NOT_HIDDEN} AND NOT EXISTS (SELECT 1 FROM items i WHERE i.user_id = l.user_id AND i.id = l.item_id "
    "AND i.superseded_by != '')"
)

_PERSONS = "('person', 'person_file')"
_CHAIN = "user_id = ? AND type = ? AND subject = ? AND project = ?"  # the preferences of one subject and place
_UNDATED = ", ".join(f"'{source}'" for source in UNDATED)
_ASKED = "json_each(?) w CROSS JOIN learnings l ON l.user_id = ? AND l.id = w.value"  # by a JSON array of ids
_LEARNED = ", ".join(f"l.{name}" for name in rows.LearnedRow._fields)
_HIT = "l.id, l.type, l.text, l.learned_ms, l.session_id, l.project"

_ADD = (
    "INSERT OR IGNORE INTO learnings (user_id, id, document, type, text, subject, confidence, observation_id, "
    "position, ordinal, trust, priority, owner, origin, project, session_id, turn, last_position, learned_ms) "
    "VALUES (?, ?, (SELECT coalesce(max(document), 0) + 1 FROM learnings), ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)
_INDEX_TEXT = (
    "INSERT INTO learnings_fts (rowid, text) SELECT document, text FROM learnings WHERE user_id = ? AND id = ?"
)
_ID_BY_MARK = "SELECT mark, id FROM learning_ids WHERE user_id = ? AND mark = ?"
_BY_ID = f"SELECT {_LEARNED} FROM {_ASKED} ORDER BY w.key"
_SEARCH = (
    f"SELECT {_HIT}, f.rank FROM learnings_fts f JOIN learnings l ON l.document = f.rowid "
    f"WHERE learnings_fts MATCH ? AND l.user_id = ? AND l.superseded_by = '' AND {_HOLDS} "
    "AND (? IS NULL OR l.project IN (?, '')) ORDER BY f.rank, l.position DESC LIMIT ?"
)
_KEPT_AS = (
    "SELECT l.id, coalesce((SELECT i.id FROM items i WHERE i.user_id = l.user_id AND i.id = l.item_id), "
    f"l.observation_id) FROM {_ASKED}"
)
_SET_VERDICT = "UPDATE learnings SET verdict = ?, item_id = ? WHERE user_id = ? AND id = ?"
_CLEAR_VERDICTS = "UPDATE learnings SET verdict = '', item_id = '' WHERE user_id = ?"
_SUPERSEDE = "UPDATE learnings SET superseded_by = ? WHERE user_id = ? AND id = ?"
_MOVE = "UPDATE learnings SET project = ? WHERE user_id = ? AND id = ?"
_SUPERSEDE_CHAIN = f"UPDATE learnings SET superseded_by = ? WHERE {_CHAIN} AND superseded_by = '' AND id != ?"
_CHAIN_OF = "SELECT DISTINCT user_id, type, subject, project FROM learnings WHERE user_id = ? AND id = ?"
_LINKS = (
    f"SELECT id, trust IN {_PERSONS}, (SELECT source NOT IN ({_UNDATED}) FROM observations o "
    "WHERE o.user_id = l.user_id AND o.position = l.position), learned_ms, superseded_by "
    f"FROM learnings l WHERE {_CHAIN} ORDER BY position, ordinal"
)
_HAS_NEWER = (
    f"SELECT EXISTS (SELECT 1 FROM learnings WHERE {_CHAIN} AND (position, ordinal) > (?, ?)) OR EXISTS "
    f"(SELECT 1 FROM learnings INDEXED BY learnings_by_time WHERE {_CHAIN} AND learned_ms >= ? AND id != ?)"
)


@dataclass(frozen=True, slots=True)
class _Link:
    """A preference in the chain of its subject."""

    id: str
    is_persons: bool
    is_dated: bool  # it came in later, with a time of its own
    learned_ms: int
    superseded_by: str


def chain_again(db: Database, user: str, ids: Iterable[str]) -> None:
    """Draw the chains of these preferences again: each is superseded by the next one that may."""
    for chain in dict.fromkeys(chain for one in ids for chain in db.rows(_CHAIN_OF, (user, one))):
        links = [_Link(*row) for row in db.rows(_LINKS, chain)]
        changed = [(successor, user, one.id) for one, successor in _successors(links) if one.superseded_by != successor]
        db.execute_many(_SUPERSEDE, changed)


def delete(db: Database, which: str, arguments: Sequence[object]) -> list[str]:
    """Delete learnings with their index entries; returns which ones they superseded, whose chains are to be drawn anew.

    The first of the arguments is the user.
    """
    gone = f"SELECT id FROM learnings WHERE {which}"
    superseded = db.rows(f"SELECT id FROM learnings WHERE user_id = ?1 AND superseded_by IN ({gone})", arguments)
    told = f"SELECT 'delete', document, text FROM learnings WHERE {which}"
    db.execute(f"INSERT INTO learnings_fts (learnings_fts, rowid, text) {told}", arguments)
    db.execute(f"DELETE FROM learnings WHERE {which}", arguments)
    return [learning_id for (learning_id,) in superseded]


def _successors(links: Sequence[_Link]) -> Iterator[tuple[_Link, str]]:
    """Yield each link of a chain with its successor. Only a person supersedes what a person said."""
    anybodys = persons = ""
    for one in reversed(_in_order(links)):
        if one.superseded_by != _RETRACTED:
            yield one, persons if one.is_persons else anybodys
        anybodys = one.id
        persons = one.id if one.is_persons else persons


def _in_order(links: Sequence[_Link]) -> list[_Link]:
    """As they were said: in the order in which they came in, since clocks are not trusted. But one with a time of its
    own, from an old transcript or another system, stands before the first that came in at that time or after."""
    dated = deque(sorted([one for one in links if one.is_dated], key=lambda one: one.learned_ms))
    ordered: list[_Link] = []
    for one in links:
        if not one.is_dated:
            while dated and dated[0].learned_ms <= one.learned_ms:
                ordered.append(dated.popleft())
            ordered.append(one)
    return [*ordered, *dated]


def said_ms(source: Observation) -> int:
    """Return when the source of a learning was said; a date in the future counts as the time it came in."""
    return min(source.occurred_ms, source.recorded_ms) if source.is_dated else source.recorded_ms


def _hit(row: Row) -> Hit:
    learning_id, kind, text, learned_ms, session, project, rank = row
    return Hit(id=learning_id, what=kind, text=text, when_ms=learned_ms, session=session, project=project, score=-rank)


class SqliteLearnings:
    def __init__(self, database: Database, user: str, store_key: bytes) -> None:
        self._db = database
        self._user = user
        self._key = store_key

    def add(
        self,
        turn: Turn,
        found: Sequence[Learning],
        kept: Sequence[Learning | None] | None = None,
        first_ordinal: int = 0,
    ) -> list[Learned]:
        """Store a turn's learnings, once: `kept` has each as the policies allow it, None where it must not be kept.

        Ids follow from what was `found`, so they stay when a policy changes or something else is erased.
        """
        if not found:
            return []
        kept = found if kept is None else kept
        sources = {o.id: o for o in turn.observations}
        added = []
        with self._db.write():
            named = zip(kept, self._ids(found, kept, sources), strict=True)
            for ordinal, (learning, learning_id) in enumerate(named, start=first_ordinal):
                if learning is None:
                    continue
                source = sources[learning.observation_id]
                project = source.project if learning.scope is Scope.PROJECT else ""
                said = {name: getattr(learning, name) for name in Learning.__dataclass_fields__}
                learned = Learned(
                    **said | {"scope": Scope.PROJECT if project else Scope.PERSON},
                    id=learning_id,
                    project=project,
                    session=turn.session,
                    position=source.position,
                    learned_ms=said_ms(source),
                )
                if self._insert(learned, turn, ordinal):
                    added.append(learned)
                    self._chain(learned, ordinal, source.is_dated)
        return added

    def _ids(
        self, found: Sequence[Learning], kept: Sequence[Learning | None], sources: Mapping[str, Observation]
    ) -> list[str]:
        """Return the id of each learning. One that an older Reverie gave an id keeps it."""
        marks, marks_kept = self._marks(found), self._marks(kept)
        found_ids = (row for mark in {*marks, *marks_kept} for row in self._db.rows(_ID_BY_MARK, (self._user, mark)))
        given = {mark: known for mark, known in found_ids if tail_of(known)}
        return [
            given.get(mark_kept) or given.get(mark) or ulid(sources[one.observation_id].occurred_ms, mark)
            for one, mark, mark_kept in zip(found, marks, marks_kept, strict=True)
        ]

    def _marks(self, learnings: Sequence[Learning | None]) -> list[bytes]:
        """Of what is equal, each has its number."""
        times: Counter[tuple[str, ...]] = Counter()
        marks = []
        for one in learnings:
            said = (one.observation_id, one.origin, one.type.value, rows.storable(one.text)) if one else ()
            times[said] += 1
            marks.append(learning_mark(self._key, self._user, *said, times[said]) if said else b"")
        return marks

    def _insert(self, it: Learned, turn: Turn, ordinal: int) -> bool:
        text = rows.storable(it.text)
        self._db.execute(
            _ADD,
            (
                self._user, it.id, it.type.value, text, it.subject, it.confidence, it.observation_id, it.position,
                ordinal, it.trust.value, it.priority.value, it.owner.value, it.origin, it.project, it.session,
                turn.number, turn.last_position, it.learned_ms,
            ),
        )  # fmt: skip
        if not self._db.connection.changes():
            return False
        self._db.execute(_INDEX_TEXT, (self._user, it.id))
        return True

    def _chain(self, learned: Learned, ordinal: int, is_dated: bool) -> None:
        """A newer preference supersedes the older one of the same subject and place.

        It is put between its neighbours, so that it does not matter in which order turns were distilled. Mostly it is
        the newest by any measure, and takes the place of what is in force.
        """
        if learned.type is not LearningType.PREFERENCE or not learned.subject:
            return
        chain = (self._user, learned.type.value, learned.subject, learned.project)
        moment = learned.learned_ms if is_dated else learned.learned_ms + 1  # at the same, what is dated comes first
        if self._db.value(_HAS_NEWER, (*chain, learned.position, ordinal, *chain, moment, learned.id)):
            chain_again(self._db, self._user, [learned.id])
            return
        whose = "" if learned.trust >= Trust.PERSON_FILE else f" AND trust NOT IN {_PERSONS}"
        self._db.execute(_SUPERSEDE_CHAIN + whose, (learned.id, *chain, learned.id))

    def recent(self, since_ms: int, project: str | None = None, limit: int = 200) -> list[Learned]:
        return self._select(
            f"learned_ms >= ? AND superseded_by = '' AND (? IS NULL OR project IN (?, '')) AND {_HOLDS} "
            "ORDER BY learned_ms DESC, position DESC, ordinal DESC LIMIT ?",
            (since_ms, project, project, limit),
        )

    def all(self) -> list[Learned]:
        return self._select("1 ORDER BY position, ordinal", ())

    def preferences(self, project: str = "") -> list[Learned]:
        return self._select(
            f"type = 'preference' AND superseded_by = '' AND project = ? AND {_NOT_HIDDEN} ORDER BY position, ordinal",
            (project,),
        )

    def retract(self, learning_id: str) -> None:
        with self._db.write():
            self._db.execute(_SUPERSEDE, (_RETRACTED, self._user, learning_id))

    def move(self, learning_id: str, project: str) -> None:
        with self._db.write():
            self._db.execute(_MOVE, (project, self._user, learning_id))

    def get(self, ids: Sequence[str]) -> list[Learned]:
        return self._db.records("learnings", _LEARNED, rows.learned, _BY_ID, (json.dumps(list(ids)), self._user))

    def at_the_gate(self, limit: int) -> list[Learned]:
        return self._select("verdict = '' ORDER BY position, ordinal LIMIT ?", (limit,))

    def set_verdict(self, learning_id: str, verdict: str, item_id: str) -> None:
        with self._db.write():
            self._db.execute(_SET_VERDICT, (verdict, item_id, self._user, learning_id))

    def kept_as(self, ids: Sequence[str]) -> dict[str, str]:
        return dict(self._db.rows(_KEPT_AS, (json.dumps(list(ids)), self._user)))

    def clear_verdicts(self) -> None:
        with self._db.write():
            self._db.execute(_CLEAR_VERDICTS, (self._user,))

    def _select(self, where: str, arguments: Sequence[object]) -> list[Learned]:
        sql = f"SELECT {rows.LEARNED} FROM learnings l WHERE user_id = ? AND {where}"
        return self._db.records("learnings", rows.LEARNED, rows.learned, sql, (self._user, *arguments))

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]:
        if not (words := fts_query(query)):
            return []
        return self._db.records("learnings", _HIT, _hit, _SEARCH, (words, self._user, project, project, limit))

    def clear(self, work: Work | None = None) -> None:
        with self._db.write():
            if work is None:
                delete(self._db, "user_id = ?1", (self._user,))
                return
            own = "user_id = ?1 AND session_id = ?2 AND position BETWEEN ?3 AND ?4"
            left = delete(self._db, own, (self._user, work.session, work.first_position, work.last_position))
            chain_again(self._db, self._user, left)
