-- A message belongs to a conversation: the same one may stand in a branch, a continuation or a sub-agent's copy, once in
-- each. Its text has one home all the same, in the log.

DROP INDEX messages_by_id;
CREATE UNIQUE INDEX messages_in_conversation ON messages (user_id, continuum_id, id);
CREATE INDEX messages_by_home ON messages (user_id, fingerprint);

-- Whose files for people these are is written down when a store is made. In a store of before it is written down by
-- whoever opens it next, by its setting `user`, and the person is told so once.

INSERT INTO meta SELECT '', 'owner untold', 1 WHERE EXISTS (SELECT 1 FROM sessions);
