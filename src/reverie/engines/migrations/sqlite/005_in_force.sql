-- The preferences of a subject that are in force, and whether any is newer, without reading all that was ever said of it.

CREATE INDEX learnings_in_force ON learnings (user_id, type, subject, project) WHERE superseded_by = '';
CREATE INDEX learnings_by_moment ON learnings (user_id, type, subject, project, learned_ms);
