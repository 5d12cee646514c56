-- What lies behind the sections of a prompt, the running conversation, and the cache ledger.

-- ---- kept for the user

CREATE TABLE reminders (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    due_ms INTEGER NOT NULL,
    note TEXT NOT NULL,
    kind TEXT NOT NULL,               -- user, internal
    status TEXT NOT NULL,             -- active, done
    created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

CREATE TABLE punchclock (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL,              -- running, paused, completed
    intervals TEXT NOT NULL,          -- JSON: [[from, to or null], …]
    note TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    completed_ms INTEGER,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

CREATE TABLE domaindocs (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

CREATE TABLE domaindoc_sections (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    header TEXT NOT NULL,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    collapsed INTEGER NOT NULL,
    expanded_by_default INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    by TEXT NOT NULL,                 -- user, agent: who wrote its text last
    PRIMARY KEY (user_id, name, id)
) WITHOUT ROWID;

CREATE TABLE domaindoc_versions (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    operation TEXT NOT NULL,
    header TEXT NOT NULL,
    diff TEXT NOT NULL,
    data TEXT NOT NULL,               -- JSON: what the edit replaced, which leads back to the version before
    PRIMARY KEY (user_id, name, version)
) WITHOUT ROWID;

CREATE TABLE context_searches (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    query TEXT NOT NULL,
    state TEXT NOT NULL,              -- pending, success, failed, timed_out
    segment_id TEXT NOT NULL,
    asked_turn INTEGER NOT NULL,
    asked_ms INTEGER NOT NULL,
    finished_turn INTEGER NOT NULL,
    found TEXT NOT NULL,              -- JSON
    problem TEXT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

CREATE TABLE loaded_tools (
    user_id TEXT NOT NULL,
    continuum_id TEXT NOT NULL,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,           -- the order in which they were loaded
    loaded_turn INTEGER NOT NULL,
    last_used_turn INTEGER NOT NULL,
    is_fallback INTEGER NOT NULL,
    is_essential INTEGER NOT NULL,
    PRIMARY KEY (user_id, continuum_id, name)
) WITHOUT ROWID;

CREATE TABLE segments (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,                 -- the session of its observations
    continuum_id TEXT NOT NULL,
    state TEXT NOT NULL,              -- active, paused, collapsed
    began_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    first_turn INTEGER NOT NULL,
    last_turn INTEGER NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    complexity INTEGER NOT NULL,
    tools_used TEXT NOT NULL,         -- JSON
    collapsed_ms INTEGER,
    done TEXT NOT NULL,               -- JSON: steps of the collapse that are over
    problem TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX segments_by_time ON segments (user_id, continuum_id, began_ms);

-- A message points at an observation: a text has one home.
CREATE TABLE messages (
    user_id TEXT NOT NULL,
    continuum_id TEXT NOT NULL,
    place INTEGER NOT NULL,           -- its order in the conversation
    id TEXT NOT NULL,                 -- of the observation; of its own for a message that only calls tools
    fingerprint BLOB,                 -- of the observation; NULL where there is none
    segment_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,               -- user, assistant, tool
    call_id TEXT NOT NULL,            -- of a tool's result: the call it answers
    calls TEXT NOT NULL,              -- JSON: the ids and names of the calls an assistant message makes
    PRIMARY KEY (user_id, continuum_id, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_id ON messages (user_id, id);
CREATE INDEX messages_by_segment ON messages (user_id, segment_id, place);

CREATE TABLE cache_ledger (
    user_id TEXT NOT NULL,
    continuum_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    request INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    shared INTEGER NOT NULL,          -- how many of the blocks of the entry before it begins with
    data TEXT NOT NULL,               -- JSON of the entry with its other blocks, by content address
    PRIMARY KEY (user_id, continuum_id, place)
) WITHOUT ROWID;

-- The bytes of composed sections. They quote what is remembered, so that forgetting for good empties this table.
CREATE TABLE section_texts (
    user_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- ---- derived

CREATE TABLE sections (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    cache_policy INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;
