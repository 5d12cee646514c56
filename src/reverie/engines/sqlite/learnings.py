"""What was distilled. Derived from the log: cleared and written again by a rebuild, to the same bytes."""

import json
from collections.abc import Iterable, Sequence

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.fts import fts_query
from reverie.ids import fingerprint, ulid
from reverie.records import Hit, Learned, Learning, LearningType, Scope, Turn

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


def chain_again(db: Database, user: str, ids: Iterable[str]) -> None:
    """Let each of these preferences be superseded by the next one that may: of a person's, only a person's."""
    db.execute_many(
        "UPDATE learnings AS older SET superseded_by = coalesce((SELECT newer.id FROM learnings newer "
        "WHERE newer.user_id = older.user_id AND newer.type = older.type AND newer.subject = older.subject "
        "AND newer.project = older.project AND (newer.position, newer.ordinal) > (older.position, older.ordinal) "
        f"AND (newer.trust IN {_PERSONS} OR older.trust NOT IN {_PERSONS}) "
        "ORDER BY newer.position, newer.ordinal LIMIT 1), '') "
        "WHERE user_id = ? AND id = ? AND superseded_by != ?",
        [(user, one, _RETRACTED) for one in ids],
    )


class SqliteLearnings:
    def __init__(self, database: Database, user: str, store_key: bytes) -> None:
        self._db = database
        self._user = user
        self._key = store_key

    def add(self, turn: Turn, learnings: Sequence[Learning], first_ordinal: int = 0) -> list[Learned]:
        """Store a turn's learnings; the ids follow from turn and ordinal, so that a repeat is a no-op."""
        if not learnings:
            return []
        sources = {o.id: o for o in turn.observations}
        added = []
        with self._db.write():
            for ordinal, learning in enumerate(learnings, start=first_ordinal):
                source = sources[learning.observation_id]
                mark = fingerprint(self._key, self._user, "learning", source.id, str(turn.last_position), str(ordinal))
                project = source.project if learning.scope is Scope.PROJECT else ""
                said = {name: getattr(learning, name) for name in Learning.__dataclass_fields__}
                learned = Learned(
                    **said | {"scope": Scope.PROJECT if project else Scope.PERSON},
                    id=ulid(source.occurred_ms, mark),
                    project=project,
                    session=turn.session,
                    position=source.position,
                    learned_ms=source.recorded_ms if source.is_live else source.occurred_ms,
                )
                if self._insert(learned, turn, ordinal):
                    added.append(learned)
                    self._chain(learned, ordinal)
        return added

    def _insert(self, it: Learned, turn: Turn, ordinal: int) -> bool:
        text = rows.storable(it.text)
        self._db.execute(
            "INSERT OR IGNORE INTO learnings (user_id, id, document, type, text, subject, confidence, observation_id, "
            "position, ordinal, trust, priority, owner, origin, project, session_id, turn, last_position, learned_ms) "
            "VALUES (?, ?, (SELECT coalesce(max(document), 0) + 1 FROM learnings), ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._user, it.id, it.type.value, text, it.subject, it.confidence, it.observation_id, it.position,
                ordinal, it.trust.value, it.priority.value, it.owner.value, it.origin, it.project, it.session,
                turn.number, turn.last_position, it.learned_ms,
            ),
        )  # fmt: skip
        if not self._db.connection.changes():
            return False
        self._db.execute(
            "INSERT INTO learnings_fts (rowid, text) SELECT document, text FROM learnings WHERE user_id = ? AND id = ?",
            (self._user, it.id),
        )
        return True

    def _chain(self, learned: Learned, ordinal: int) -> None:
        """A newer preference supersedes the older one of the same subject and place, in the order of their sources.

        It is put between its neighbours, so that it does not matter in which order turns were distilled. What a person
        said is superseded by a person alone.
        """
        if learned.type is not LearningType.PREFERENCE or not learned.subject:
            return
        place = (self._user, learned.type.value, learned.subject, learned.project, learned.position, ordinal)
        older = (
            "SELECT id FROM learnings WHERE user_id = ? AND type = ? AND subject = ? AND project = ? "
            "AND (position, ordinal) < (?, ?) {} ORDER BY position DESC, ordinal DESC LIMIT 1"
        )
        before = [self._db.value(older.format(whose), place) for whose in ("", f"AND trust IN {_PERSONS}")]
        chain_again(self._db, self._user, [learned.id, *filter(None, before)])

    def recent(self, since_ms: int, project: str | None = None, limit: int = 200) -> list[Learned]:
        return self._select(
            f"learned_ms >= ? AND superseded_by = '' AND (? IS NULL OR project IN (?, '')) AND {_HOLDS} "
            "ORDER BY position DESC, ordinal DESC LIMIT ?",
            (since_ms, project, project, limit),
        )

    def all(self) -> list[Learned]:
        return self._select("1 ORDER BY position, ordinal", ())

    def of_turn(self, turn: Turn) -> list[Learned]:
        return self._select(
            "session_id = ? AND turn = ? AND last_position = ? ORDER BY ordinal",
            (turn.session, turn.number, turn.last_position),
        )

    def preferences(self, project: str = "") -> list[Learned]:
        return self._select(
            f"type = 'preference' AND superseded_by = '' AND project = ? AND {_NOT_HIDDEN} ORDER BY position, ordinal",
            (project,),
        )

    def retract(self, learning_id: str) -> None:
        with self._db.write():
            self._db.execute(
                "UPDATE learnings SET superseded_by = ? WHERE user_id = ? AND id = ?",
                (_RETRACTED, self._user, learning_id),
            )

    def get(self, ids: Sequence[str]) -> list[Learned]:
        columns = ", ".join(f"l.{name}" for name in rows.LEARNED.split(", "))
        asked = "json_each(?) w CROSS JOIN learnings l ON l.user_id = ? AND l.id = w.value"
        sql = f"SELECT {columns} FROM {asked} ORDER BY w.key"
        return [rows.learned(row) for row in self._db.rows(sql, (json.dumps(list(ids)), self._user))]

    def at_the_gate(self, limit: int) -> list[Learned]:
        return self._select("verdict = '' ORDER BY position, ordinal LIMIT ?", (limit,))

    def set_verdict(self, learning_id: str, verdict: str, item_id: str) -> None:
        with self._db.write():
            self._db.execute(
                "UPDATE learnings SET verdict = ?, item_id = ? WHERE user_id = ? AND id = ?",
                (verdict, item_id, self._user, learning_id),
            )

    def kept_as(self, ids: Sequence[str]) -> dict[str, str]:
        item = "SELECT i.id FROM items i WHERE i.user_id = l.user_id AND i.id = l.item_id"
        asked = "json_each(?) w CROSS JOIN learnings l ON l.user_id = ? AND l.id = w.value"
        sql = f"SELECT l.id, coalesce(({item}), l.observation_id) FROM {asked}"
        return dict(self._db.rows(sql, (json.dumps(list(ids)), self._user)))

    def clear_verdicts(self) -> None:
        with self._db.write():
            self._db.execute("UPDATE learnings SET verdict = '', item_id = '' WHERE user_id = ?", (self._user,))

    def _select(self, where: str, arguments: Sequence[object]) -> list[Learned]:
        sql = f"SELECT {rows.LEARNED} FROM learnings l WHERE user_id = ? AND {where}"
        return [rows.learned(row) for row in self._db.rows(sql, (self._user, *arguments))]

    def search(self, query: str, limit: int, project: str | None = None) -> list[Hit]:
        if not (words := fts_query(query)):
            return []
        sql = (
            "SELECT l.id, l.type, l.text, l.learned_ms, l.session_id, l.project, f.rank "
            "FROM learnings_fts f JOIN learnings l ON l.document = f.rowid "
            f"WHERE learnings_fts MATCH ? AND l.user_id = ? AND l.superseded_by = '' AND {_HOLDS} "
            "AND (? IS NULL OR l.project IN (?, '')) ORDER BY f.rank, l.position DESC LIMIT ?"
        )
        return [
            Hit(id=row[0], what=row[1], text=row[2], when_ms=row[3], session=row[4], project=row[5], score=-row[6])
            for row in self._db.rows(sql, (words, self._user, project, project, limit))
        ]

    def clear(self) -> None:
        with self._db.write():
            for document, text in self._db.rows(
                "SELECT document, text FROM learnings WHERE user_id = ?", (self._user,)
            ):
                self._db.execute(
                    "INSERT INTO learnings_fts (learnings_fts, rowid, text) VALUES ('delete', ?, ?)", (document, text)
                )
            self._db.execute("DELETE FROM learnings WHERE user_id = ?", (self._user,))
