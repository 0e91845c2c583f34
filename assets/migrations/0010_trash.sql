-- Version 10: what was deleted, until it is restored or gone for good.
--
-- No other table, index or total knows of a prompt in here: it is left out of all that reads `prompts`. A prompt is kept as the
-- JSON that shows it, with its run, which goes from `sessions` with its last prompt. Judgements of it stay until it is
-- gone for good.

CREATE TABLE trash (
    key            INTEGER PRIMARY KEY AUTOINCREMENT, -- the greater, the later it was deleted
    id             BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    deleted_at     INTEGER NOT NULL, -- as in prompts
    prompt         TEXT    NOT NULL, -- JSON object
    session        TEXT              -- JSON object
) STRICT;

CREATE INDEX trash_by_moment ON trash (deleted_at);
