-- How often work has waited for a model that was away; before, only its reason said so. Dead work that has waited is
-- tried again when a model answers.

ALTER TABLE inbox ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;

UPDATE inbox SET waits = 1
WHERE reason LIKE 'model unavailable%' OR reason LIKE 'the model''s server answered 3%'
   OR reason LIKE 'the model''s server answered 401%' OR reason LIKE 'the model''s server answered 402%'
   OR reason LIKE 'the model''s server answered 403%' OR reason LIKE 'the model''s server answered 404%'
   OR reason LIKE 'the model''s server answered 405%';
