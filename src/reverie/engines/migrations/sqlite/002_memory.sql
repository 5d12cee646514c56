-- Memory items with their vectors and links, what becomes of a learning, goals and questions, and the turn trace.

ALTER TABLE learnings ADD COLUMN verdict TEXT NOT NULL DEFAULT ''; -- keep, merge, drop, quarantine; '' waits for the gate
ALTER TABLE learnings ADD COLUMN item_id TEXT NOT NULL DEFAULT '';
CREATE INDEX learnings_at_the_gate ON learnings (user_id, position, ordinal) WHERE verdict = '';

-- ---- derived

CREATE TABLE items (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    document INTEGER NOT NULL UNIQUE, -- what the text index points at
    store TEXT NOT NULL,
    type TEXT NOT NULL,
    text TEXT,                        -- NULL: what the observation at `position` says, from first_char to last_char
    first_char INTEGER,
    last_char INTEGER,
    position INTEGER NOT NULL,        -- of the observation or act it comes from: items are ordered by it
    chunk_index INTEGER NOT NULL,
    parent_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    speaker TEXT NOT NULL,
    agent TEXT NOT NULL,
    task TEXT NOT NULL,
    episode TEXT NOT NULL,
    subject TEXT NOT NULL,
    source TEXT NOT NULL,
    trust TEXT NOT NULL,
    lifecycle TEXT NOT NULL,
    importance REAL NOT NULL,
    novelty REAL NOT NULL,
    confidence REAL NOT NULL,
    tokens INTEGER NOT NULL,
    retention TEXT NOT NULL,
    ttl_ms INTEGER,
    redaction TEXT NOT NULL,
    checksum TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    accessed_ms INTEGER,
    access_count INTEGER NOT NULL,
    modified_ms INTEGER,
    deleted_ms INTEGER,
    step_index INTEGER NOT NULL,
    version INTEGER NOT NULL,
    valid_from_ms INTEGER,
    valid_to_ms INTEGER,
    superseded_by TEXT NOT NULL,
    data TEXT NOT NULL,               -- JSON: tags, metadata, lineage, sources
    captured INTEGER NOT NULL,        -- 1: an observation as it is; 0: what memory made
    changed INTEGER NOT NULL,         -- rises with every write, so that an index in memory can follow
    PRIMARY KEY (user_id, id)
);
CREATE INDEX items_by_change ON items (user_id, changed);
CREATE INDEX items_by_place ON items (user_id, store, position, chunk_index);
CREATE INDEX items_by_subject ON items (user_id, store, subject) WHERE subject != '';
CREATE INDEX items_by_session ON items (user_id, session_id, position);

CREATE TABLE item_versions (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    data TEXT NOT NULL,               -- JSON of the whole item as it was
    PRIMARY KEY (user_id, id, version)
) WITHOUT ROWID;

CREATE TABLE item_sources (
    user_id TEXT NOT NULL,
    observation_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    PRIMARY KEY (user_id, observation_id, item_id)
) WITHOUT ROWID;

CREATE TABLE item_links (
    user_id TEXT NOT NULL,
    from_id TEXT NOT NULL,
    kind TEXT NOT NULL,               -- summary_of, merged, derived, episode
    to_id TEXT NOT NULL,
    PRIMARY KEY (user_id, from_id, kind, to_id)
) WITHOUT ROWID;

CREATE TABLE vectors (
    user_id TEXT NOT NULL,
    embedder TEXT NOT NULL,
    item_id TEXT NOT NULL,
    vector BLOB NOT NULL,             -- float16
    PRIMARY KEY (user_id, embedder, item_id)
) WITHOUT ROWID;

-- The text index of items that have a text of their own; the others are found through their observations.
CREATE VIRTUAL TABLE items_fts USING fts5 (
    text, content='items', content_rowid='document', tokenize='porter unicode61'
);
INSERT INTO items_fts (items_fts, rank) VALUES ('secure-delete', 1);

-- ---- kept for the user

CREATE TABLE goals (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    priority TEXT NOT NULL,
    horizon TEXT NOT NULL,
    status TEXT NOT NULL,
    progress REAL NOT NULL,
    project TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

CREATE TABLE questions (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    answer TEXT NOT NULL,
    project TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- What was forgotten for good: hashes only, so that neither an import nor work in flight brings it back.
CREATE TABLE tombstones (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    fingerprint BLOB,                 -- of the observation, if it was one
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX tombstones_by_position ON tombstones (user_id, position);
CREATE UNIQUE INDEX tombstones_by_fingerprint ON tombstones (user_id, fingerprint) WHERE fingerprint IS NOT NULL;

-- ---- append-only

CREATE TABLE trace (
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    span TEXT NOT NULL,
    parent TEXT NOT NULL,
    kind TEXT NOT NULL,               -- plan_step, decision, tool_invocation, observation, error, policy, summary, ...
    data TEXT NOT NULL,               -- JSON
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, position)
);
CREATE INDEX trace_by_turn ON trace (user_id, turn_id, position);

CREATE TABLE texts (
    user_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,               -- what was composed, never recomputed
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;
