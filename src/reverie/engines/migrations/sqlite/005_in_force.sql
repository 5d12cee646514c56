-- The preferences of a subject that are in force, without reading all that was ever said of it.

CREATE INDEX learnings_in_force ON learnings (user_id, type, subject, project) WHERE superseded_by = '';
