-- The log, the sessions, the inbox, and what is distilled.
-- Every table is keyed by user; `position` is one sequence over all append-only tables of a user's store.

CREATE TABLE meta (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

-- ---- append-only

CREATE TABLE observations (
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL UNIQUE, -- what the text index points at
    fingerprint BLOB NOT NULL,        -- the hash in the id: a repeat has the same
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    sequence_num INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    event TEXT NOT NULL,
    speaker TEXT NOT NULL,
    project TEXT NOT NULL,
    source TEXT NOT NULL,
    title TEXT NOT NULL,              -- one line: the tool and what it was called with
    text TEXT NOT NULL,
    data TEXT NOT NULL,               -- JSON: tool, metadata, the host's event id
    occurred_ms INTEGER NOT NULL,
    recorded_ms INTEGER NOT NULL,
    checksum INTEGER NOT NULL,        -- of the whole row: what `reverie doctor` compares
    PRIMARY KEY (user_id, position)
);
CREATE UNIQUE INDEX observations_by_fingerprint ON observations (user_id, fingerprint);
CREATE INDEX observations_by_session ON observations (user_id, session_id, position);

-- What is searched of an observation. The log keeps an 8 MB tool result whole; its index ends somewhere.
CREATE VIEW observation_text AS SELECT position, title, substr(text, 1, 65536) AS text FROM observations;

CREATE VIRTUAL TABLE observations_fts USING fts5 (
    title, text, content='observation_text', content_rowid='position', tokenize='porter unicode61'
);
INSERT INTO observations_fts (observations_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE acts (
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    data TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, position)
);

CREATE TABLE replies (
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    last_position INTEGER NOT NULL,   -- with session and turn: what it answers
    purpose TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,        -- only checks
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    nanodollars INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, position)
);
CREATE INDEX replies_by_turn ON replies (user_id, session_id, turn, last_position);

CREATE TABLE ticks (
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,               -- 'turn': a turn was closed, reaching from first to last
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, position)
);

-- ---- kept for the user

CREATE TABLE sessions (
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    source TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,         -- when it was last heard of, by our clock
    stopped_ms INTEGER,               -- the turn's Stop, until the turn is closed
    ended_ms INTEGER,
    message_count INTEGER NOT NULL,
    observation_count INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    closed_position INTEGER NOT NULL, -- everything up to here belongs to a closed turn
    shown TEXT NOT NULL DEFAULT '',   -- what its agent has been shown since the last compaction
    PRIMARY KEY (user_id, session_id)
) WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions (user_id, last_ms) WHERE last_position > closed_position;

CREATE TABLE pending_actions (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    priority TEXT NOT NULL,
    owner TEXT NOT NULL,
    status TEXT NOT NULL,
    project TEXT NOT NULL,
    trust TEXT NOT NULL,
    closed_by TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

CREATE TABLE spend (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    day TEXT NOT NULL,
    session_id TEXT NOT NULL,
    nanodollars INTEGER NOT NULL,     -- reserved at first, then what it really cost
    is_settled INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX spend_by_day ON spend (user_id, day);
CREATE INDEX spend_by_session ON spend (user_id, session_id);

CREATE TABLE mirrors (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    data BLOB NOT NULL,               -- what we last wrote there, or were about to
    before BLOB NOT NULL,             -- what stood there until then
    position INTEGER NOT NULL,        -- the end of the log when we did
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

-- ---- the state of work

CREATE TABLE drains (
    user_id TEXT NOT NULL,
    file TEXT NOT NULL,
    records INTEGER NOT NULL,         -- so many of the file's records are in the log
    PRIMARY KEY (user_id, file)
) WITHOUT ROWID;

CREATE TABLE inbox (
    user_id TEXT NOT NULL,
    id INTEGER NOT NULL,              -- the position of the tick that closed the turn
    stage TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    closed_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    lease_until_ms INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    ready_ms INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, id, stage)
) WITHOUT ROWID;
CREATE INDEX inbox_waiting ON inbox (user_id, stage, attempts, id) WHERE state IN ('pending', 'leased');

-- A flag for each observation: 0 waiting, 1 done, -1 skipped or dead.
CREATE VIEW processed AS
SELECT o.user_id, o.id, o.position,
       coalesce((SELECT CASE i.state WHEN 'done' THEN 1 WHEN 'skipped' THEN -1 WHEN 'dead' THEN -1 ELSE 0 END
                 FROM inbox i
                 WHERE i.user_id = o.user_id AND i.session_id = o.session_id AND i.stage = 'rules'
                   AND o.position BETWEEN i.first_position AND i.last_position), 0) AS processed
FROM observations o;

-- ---- derived

CREATE TABLE learnings (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    document INTEGER NOT NULL UNIQUE, -- what the text index points at
    type TEXT NOT NULL,
    text TEXT NOT NULL,
    subject TEXT NOT NULL,
    confidence REAL NOT NULL,
    observation_id TEXT NOT NULL,
    position INTEGER NOT NULL,        -- of the observation
    ordinal INTEGER NOT NULL,
    trust TEXT NOT NULL,
    priority TEXT NOT NULL,
    owner TEXT NOT NULL,
    origin TEXT NOT NULL,
    project TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    learned_ms INTEGER NOT NULL,
    superseded_by TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, position) REFERENCES observations (user_id, position)
);
CREATE INDEX learnings_by_time ON learnings (user_id, learned_ms);
CREATE INDEX learnings_by_subject ON learnings (user_id, type, subject, position, ordinal);
CREATE INDEX learnings_by_turn ON learnings (user_id, session_id, turn, last_position);

CREATE VIRTUAL TABLE learnings_fts USING fts5 (
    text, content='learnings', content_rowid='document', tokenize='porter unicode61'
);
INSERT INTO learnings_fts (learnings_fts, rank) VALUES ('secure-delete', 1);

INSERT INTO meta (user_id, name, value) VALUES ('', 'position', 0);
