-- How often an item was used stands beside it: counting changes nothing that an index in memory has to follow.
-- The columns access_count and accessed_ms of items are no longer read.

CREATE TABLE item_uses (
    user_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    uses INTEGER NOT NULL,
    used_ms INTEGER,
    PRIMARY KEY (user_id, item_id)
) WITHOUT ROWID;

INSERT INTO item_uses SELECT user_id, id, access_count, accessed_ms FROM items
WHERE access_count > 0 OR accessed_ms IS NOT NULL;
