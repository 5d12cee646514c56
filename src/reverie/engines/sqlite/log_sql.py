"""The statements of the log: observations, sessions, what was asked for (acts), and what was drained from the spool."""

from reverie.engines.sqlite import rows
from reverie.engines.sqlite.log_batch import RUNNING_COLUMNS

# ---- observations

ADD_OBSERVATION = (
    "INSERT INTO observations (user_id, position, fingerprint, id, session_id, sequence_num, turn, kind, event, "
    "speaker, project, source, title, text, data, occurred_ms, recorded_ms, checksum) "
    "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)
# Places in the log are given to one transaction at a time: between its first and its last there is nobody else's row.
INDEX_TEXTS = (
    "INSERT INTO observations_fts (rowid, title, text) "
    "SELECT position, title, text FROM observation_text WHERE position BETWEEN ? AND ?"
)
HAS_FORGOTTEN = "SELECT 1 FROM tombstones WHERE user_id = ? LIMIT 1"
HIT = "o.id, o.kind, o.title, o.text, o.occurred_ms, o.session_id, o.project, o.speaker"
SEARCH = (
    f"SELECT {HIT}, f.rank "
    "FROM observations_fts f JOIN observations o ON o.position = f.rowid "
    "WHERE observations_fts MATCH ? AND o.user_id = ? AND (? IS NULL OR o.project IN (?, '')) "
    "AND NOT EXISTS (SELECT 1 FROM items i WHERE i.user_id = o.user_id AND i.deleted_ms IS NOT NULL "
    "AND i.id = o.id) "
    "AND (o.kind != 'tool_call' OR NOT json_valid(o.data) "
    "OR coalesce(json_extract(o.data, '$.tool.name'), '') NOT IN (SELECT value FROM json_each(?))) "
    "ORDER BY f.rank, o.position DESC LIMIT ?"
)
HAS_TOOL_CALL_NAMING = (
    "SELECT 1 FROM observations WHERE user_id = ? AND position > ? AND kind = 'tool_call' "
    "AND (instr(data, ?) OR instr(title, ?)) LIMIT 1"
)


def positions_of(count: int, table: str) -> str:
    """Find the places of `count` fingerprints, in the log or among what was forgotten."""
    marks = ",".join("?" * count)
    return f"SELECT fingerprint, position FROM {table} WHERE user_id = ? AND fingerprint IN ({marks})"


# ---- sessions

RUNNING = ", ".join(RUNNING_COLUMNS)
SAVE_SESSION = f"INSERT OR REPLACE INTO sessions (user_id, {RUNNING}) VALUES (?{',?' * len(RUNNING_COLUMNS)})"
RUNNING_SESSION = f"SELECT {RUNNING} FROM sessions WHERE user_id = ? AND session_id = ?"
SESSION = f"SELECT {rows.SESSION} FROM sessions WHERE user_id = ? AND session_id = ?"
LATEST_SESSIONS = f"SELECT {rows.SESSION} FROM sessions WHERE user_id = ? ORDER BY last_position DESC LIMIT ?"
SET_SHOWN = "UPDATE sessions SET shown = ? WHERE user_id = ? AND session_id = ?"
# User, grace, idle time, now.
WITH_DUE_TURNS = (
    f"SELECT {RUNNING} FROM sessions WHERE user_id = ?1 AND last_position > closed_position AND (ended_ms IS NOT NULL"
    " OR stopped_ms IS NOT NULL AND (stopped_ms + ?2 <= ?4 OR stopped_ms > ?4)"
    " OR last_ms + ?3 <= ?4 OR last_ms > ?4 + ?3)"
)
# User, source, now, silence.
_SILENT = "user_id = ? AND source = ? AND ended_ms IS NULL AND abs(? - last_ms) >= ?"
HAS_SILENT = f"SELECT 1 FROM sessions WHERE {_SILENT} LIMIT 1"
END_SILENT = f"UPDATE sessions SET ended_ms = last_ms WHERE {_SILENT} RETURNING session_id"

# ---- ticks and work of closed turns

ADD_TICK = "INSERT INTO ticks VALUES (?,?,?,?,?,?,?,?,?,?)"
ADD_WORK = (
    "INSERT INTO inbox (user_id, id, stage, session_id, turn, first_position, last_position, closed_ms, state) "
    "VALUES (?, ?, 'rules', ?, ?, ?, ?, ?, 'pending')"
)

# ---- acts

ACT = "position, kind, target, data"
ADD_ACT = "INSERT INTO acts VALUES (?, ?, ?, ?, ?, ?, ?)"
ACTS = (
    f"SELECT {ACT} FROM acts WHERE user_id = ?1 "
    "AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR target = ?3) ORDER BY position"
)

# ---- the spool

DRAINED = "SELECT file, records FROM drains WHERE user_id = ?"
CLEAR_DRAINED = "DELETE FROM drains WHERE user_id = ?"
ADD_DRAINED = "INSERT INTO drains VALUES (?, ?, ?)"
