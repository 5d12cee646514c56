-- Acts, replies and ticks have a checksum as observations have; and rows that were damaged have a place to be set aside.

ALTER TABLE acts ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0; -- of the row: what `reverie doctor` compares
ALTER TABLE replies ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ticks ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

UPDATE acts SET checksum = row_checksum(user_id, position, kind, target, data, at_ms);
UPDATE replies SET checksum = row_checksum(user_id, position, session_id, turn, last_position, purpose, prompt_hash, model,
    text, input_tokens, output_tokens, nanodollars, at_ms);
UPDATE ticks SET checksum = row_checksum(user_id, position, kind, session_id, turn, first_position, last_position, reason,
    at_ms);

CREATE TABLE set_aside (
    user_id TEXT NOT NULL,
    source TEXT NOT NULL,             -- the table it stood in
    key TEXT NOT NULL,                -- the values of its key there, as JSON
    reason TEXT NOT NULL,             -- what was wrong with it
    data TEXT NOT NULL,               -- JSON: what could be read of it, by column
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, source, key, at_ms)
) WITHOUT ROWID;
