"""Find what mentions some words, or quotes what is forgotten, in the log and beside it; name it, and erase it.

Words are matched by one rule (`language.mentions`), which SQLite is taught as the function `says`; what is kept as JSON
is unfolded first (`spoken`). No words at all mean everything.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.checks import MOST
from reverie.engines.sqlite.database import Database
from reverie.engines.sqlite.erase import erase_learned, erase_titles, seal_tick
from reverie.engines.sqlite.erase_documents import erase_from_documents, mentioned_in_documents
from reverie.foundation.text import title_line
from reverie.language.host_tags import HOST_SAID
from reverie.language.mentions import says, spoken
from reverie.records import RECALL_TOOLS, Observation, is_recall

_SAYS = "says({}, ?2)"  # the words are the second parameter of every question
# What a tool was given, and what a host wrote into a person's words. What else the host told, such as the folder it ran
# in, names no matter.
_INPUT = (
    "spoken(coalesce(data -> '$.tool.input', 'null')) || char(10) || "
    f"spoken(coalesce(data -> '$.metadata.{HOST_SAID}', 'null'))"
)
_PAGE = 2_000  # places of the log that are looked through at once
_ID = re.compile(r"[0-9A-Z]{26}")
_LEAST_WORDS = 2  # of a text that counts as quoted: "yes" is in everything
_QUOTED_CHARS = 120  # of its beginning: a line of a search is cut a little later

# What is kept for the person: what it is called, its table, what names it, and what is searched.
_KEPT = (
    ("goal", "goals", "text", "text"),
    ("question", "questions", "text", "text || char(10) || answer"),
    ("reminder", "reminders", "title", "title || char(10) || note"),
    ("punchclock entry", "punchclock", "label", "label || char(10) || note"),
)
# What memory itself noted on the way.
_NOTED = (
    ("trace", "spoken(data)"),
    ("texts", "text"),
    ("section_texts", "text"),
    ("sections", "content"),
    ("context_searches", "query || char(10) || spoken(found)"),
    ("set_aside", "spoken(data)"),
)


def observations_saying(db: Database, user: str, words: str) -> Iterator[Observation]:
    """Find observations that mention all of these words: also in a tool's input, or where no memory was made."""
    _teach(db)
    learned = db.rows("SELECT observation_id FROM learnings WHERE user_id = ? AND says(text, ?)", (user, words))
    ids = json.dumps([row[0] for row in learned])
    sql = (
        f"SELECT {rows.OBSERVATION} FROM observations WHERE user_id = ?1 AND position BETWEEN ?2 AND ?3 "
        f"AND (says(text || char(10) || {_INPUT}, ?4) OR id IN (SELECT value FROM json_each(?5))) ORDER BY position"
    )
    for page in _pages(db):
        found = (user, *page, words, ids)
        yield from db.records("observations", rows.OBSERVATION, rows.observation, sql, found)


def results_quoting(db: Database, user: str, ids: Collection[str], texts: Sequence[str]) -> list[str]:
    """The tool results that quote something: by its id, or where a tool looked into memory, by its words."""
    quoted = {_flat(text)[:_QUOTED_CHARS] for text in texts if len(text.split()) >= _LEAST_WORDS}
    found = []
    sql = (
        "SELECT id, text, data FROM observations WHERE user_id = ? AND position BETWEEN ? AND ? "
        "AND kind = 'tool_call' ORDER BY position"
    )
    for page in _pages(db):
        for observation_id, text, data in db.records("observations", "id, text, data", tuple, sql, (user, *page)):
            if not set(_ID.findall(text)).isdisjoint(ids) or not set(_ID.findall(data)).isdisjoint(ids):
                found.append(observation_id)
            elif quoted and any(name in data for name in RECALL_TOOLS) and is_recall(rows.tool_of(data)):
                told = _flat(f"{text}\n{spoken(text)}\n{spoken(data)}")
                if any(one in told for one in quoted):
                    found.append(observation_id)
    return found


def _pages(db: Database) -> Iterator[tuple[int, int]]:
    """The log in pieces, first and last place of each. Whoever looks through all of it would read for many seconds,
    and for so long nobody could empty the write-ahead log."""
    sql = "SELECT max(position) FROM (SELECT position FROM observations WHERE position > ? ORDER BY position LIMIT ?)"
    after = 0
    while (last := db.value(sql, (after, _PAGE))) is not None:
        if not isinstance(last, int):  # a damaged place comes after all numbers
            yield after + 1, MOST
            return
        yield after + 1, last
        after = last


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def beside(db: Database, user: str, words: str) -> list[str]:
    """List what is kept for the person and mentions all of these words, a line each."""
    _teach(db)
    return [*_kept(db, user, words), *mentioned_in_documents(db, user, words)]


def _kept(db: Database, user: str, words: str) -> Iterator[str]:
    for kind, table, name, searched in _KEPT:
        sql = f"SELECT {name} FROM {table} WHERE user_id = ?1 AND {_SAYS.format(searched)} ORDER BY id"
        yield from (f'{kind} "{title_line(row[0])}"' for row in db.rows(sql, (user, words)))


def erase_mentions(db: Database, user: str, words: str, at_ms: int) -> None:
    """Erase what mentions all of these words outside of memory itself: prompts in the trace, what the gate dropped,
    what models said, goals, questions, reminders, documents.
    """
    _teach(db)
    with db.write():
        for table, searched in (*_NOTED, *((table, searched) for _, table, _, searched in _KEPT)):
            db.execute(f"DELETE FROM {table} WHERE user_id = ?1 AND {_SAYS.format(searched)}", (user, words))
        memorized = "kind = 'memorize' AND says(json_extract(data, '$.item.text'), ?2)"
        db.execute(f"DELETE FROM acts WHERE user_id = ?1 AND {memorized}", (user, words))
        told = "SELECT DISTINCT session_id, turn FROM replies WHERE user_id = ?1 AND says(text, ?2)"
        for session, turn in db.rows(told, (user, words)):
            erase_learned(db, user, -1, session, turn)
        erase_titles(db, user, _SAYS, words)
        _erase_from_policies(db, user, words)
        erase_from_documents(db, user, words, at_ms)


def _erase_from_policies(db: Database, user: str, words: str) -> None:
    """Erase goals from the logged policies of the gate, which name the goals of their time."""
    for position, told in db.rows("SELECT position, reason FROM ticks WHERE user_id = ? AND kind = 'policy'", (user,)):
        policy = json.loads(told)
        kept = [goal for goal in policy["goals"] if not says(goal["text"], words)]
        if kept != policy["goals"]:
            policy["goals"] = kept
            db.execute(
                "UPDATE ticks SET reason = ? WHERE user_id = ? AND position = ?",
                (json.dumps(policy, sort_keys=True), user, position),
            )
            seal_tick(db, user, position)


def _teach(db: Database) -> None:
    def taught_says(*told: Any) -> bool:
        return isinstance(told[0], str) and says(*told)

    def taught_spoken(*told: Any) -> str:
        if not isinstance(told[0], str):
            return ""  # a damaged row; `records` names it
        return rows.storable(spoken(*told))  # escapes can name halves of letters, which SQLite does not take

    db.connection.create_scalar_function("says", taught_says, 2, deterministic=True)
    db.connection.create_scalar_function("spoken", taught_spoken, 1, deterministic=True)
