-- Version 2: what calls to models cost.
--
-- Money is whole billionths of a US dollar. Nothing here refers to runs or prompts: what was spent stays spent when
-- they are deleted.

CREATE TABLE calls (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at             INTEGER NOT NULL, -- when it went out
    day            INTEGER NOT NULL, -- the day of that, UTC: days since 1970
    session_id     BLOB,
    command        TEXT    NOT NULL,
    phase          TEXT    NOT NULL, -- a phase, `judge`, `embedding`
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    tags           TEXT    NOT NULL, -- JSON array
    state          TEXT    NOT NULL CHECK (state IN ('open', 'answered', 'failed', 'unseen')),
    input_tokens   INTEGER, -- null unless answered
    output_tokens  INTEGER,
    cost           INTEGER, -- null: unknown
    worst          INTEGER, -- null: the price was unknown
    counted        INTEGER NOT NULL -- what it counts as against the cap of its day
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_by_moment ON calls (at);

-- What the calls of a day count as, so that the cap of a day is asked for in one step.
CREATE TABLE call_days (
    day            INTEGER NOT NULL PRIMARY KEY,
    counted        INTEGER NOT NULL
) STRICT;
