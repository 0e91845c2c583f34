-- Version 1: runs, their prompts, what each phase did, and tags.
--
-- Moments are whole milliseconds since 1970, UTC. Ids are UUIDs as 16 bytes. JSON is the same text the program shows.
-- Columns that are filtered or sorted by come first, long texts last, so that a scan seldom leaves the page.

CREATE TABLE sessions (
    key            INTEGER PRIMARY KEY,
    id             BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    operation      TEXT    NOT NULL,
    persona        TEXT    NOT NULL,
    phases         TEXT    NOT NULL, -- JSON array
    count          INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    original_input TEXT    NOT NULL
) STRICT;

CREATE INDEX sessions_newest ON sessions (created_at, id);

CREATE TABLE prompts (
    -- The name of a prompt inside this database: what search tables refer to. Never given twice.
    key            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    -- The last 16 hexadecimal digits of the id in reverse, so that an id is found by how it ends.
    id_tail        BLOB    NOT NULL CHECK (length(id_tail) = 8),
    session_id     BLOB    NOT NULL REFERENCES sessions (id),
    parent_id      BLOB, -- history: what it names may be gone
    variant        INTEGER NOT NULL,
    revision       INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    score          REAL, -- null until ranked
    score_key      REAL    NOT NULL GENERATED ALWAYS AS (ifnull(score, -1.0)) VIRTUAL, -- unranked ones sort last
    rank           INTEGER,
    temperature    REAL    NOT NULL,
    max_tokens     INTEGER NOT NULL,
    phase          TEXT    NOT NULL,
    persona        TEXT    NOT NULL,
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    source         TEXT    NOT NULL,
    strategy       TEXT    NOT NULL,
    model_metadata TEXT    NOT NULL, -- JSON object
    notes          TEXT,
    context        TEXT    NOT NULL, -- JSON array
    original_input TEXT    NOT NULL,
    content        TEXT    NOT NULL
) STRICT;

-- Each ends in (created_at, id): every list comes out of an index in the order it is shown.
CREATE INDEX prompts_newest      ON prompts (created_at, id);
CREATE INDEX prompts_by_session  ON prompts (session_id, created_at, id);
CREATE INDEX prompts_by_phase    ON prompts (phase, created_at, id);
CREATE INDEX prompts_by_provider ON prompts (provider, created_at, id);
CREATE INDEX prompts_by_model    ON prompts (model, created_at, id);
CREATE INDEX prompts_by_persona  ON prompts (persona, created_at, id);
CREATE INDEX prompts_by_score    ON prompts (score_key, created_at, id);
CREATE INDEX prompts_by_id_tail  ON prompts (id_tail);

CREATE TABLE steps (
    key            INTEGER PRIMARY KEY,
    prompt         INTEGER NOT NULL REFERENCES prompts (key) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    phase          TEXT    NOT NULL,
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    model_metadata TEXT    NOT NULL, -- JSON object
    content        TEXT, -- null: the prompt's own content, which is what the last step nearly always made
    UNIQUE (prompt, position)
) STRICT;

CREATE TABLE tags (
    prompt         INTEGER NOT NULL REFERENCES prompts (key) ON DELETE CASCADE,
    tag            TEXT    NOT NULL,
    position       INTEGER NOT NULL,
    created_at     INTEGER NOT NULL, -- the prompt's, and so is the id: both never change,
    id             BLOB    NOT NULL, -- and here they let the newest of a tag come out of one index
    PRIMARY KEY (prompt, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX tags_newest ON tags (tag, created_at, id);
