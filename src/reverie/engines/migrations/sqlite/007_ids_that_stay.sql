-- A learning's id follows from its source and its words, no longer from its place in the turn, which erasing moves.
-- Ids that were given before stay: here stands what each learning would be called now, and what it is called.

-- ---- append-only

CREATE TABLE learning_ids (
    user_id TEXT NOT NULL,
    mark BLOB NOT NULL,               -- of the learning, as `learning_mark` in ids.py computes it
    id TEXT NOT NULL,                 -- that it was given
    PRIMARY KEY (user_id, mark)
) WITHOUT ROWID;
CREATE UNIQUE INDEX learning_ids_by_id ON learning_ids (user_id, id);

INSERT INTO learning_ids
SELECT user_id,
       learning_mark((SELECT value FROM meta WHERE user_id = '' AND name = 'store_key'),
                     user_id, observation_id, origin, type, text,
                     row_number() OVER (PARTITION BY user_id, observation_id, origin, type, text ORDER BY ordinal)),
       id
FROM learnings
-- Damaged rows are derived again, and get an id then.
WHERE typeof(observation_id) = 'text' AND typeof(origin) = 'text' AND typeof(type) = 'text' AND typeof(text) = 'text';
