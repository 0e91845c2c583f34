-- Version 4: vectors of prompts, and how many of each there are.
--
-- Vectors of different spaces never meet. A row is never changed: what replaces it has a new number, so that what lies
-- beside the database is told by the numbers how far it reaches.

CREATE TABLE spaces (
    key            INTEGER PRIMARY KEY AUTOINCREMENT,
    stamp          BLOB    NOT NULL CHECK (length(stamp) = 16), -- by chance: tells this space from any other file's
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    dimensions     INTEGER NOT NULL CHECK (dimensions BETWEEN 1 AND 65536),
    prompts        INTEGER NOT NULL DEFAULT 0, -- how many have vectors here; kept by the triggers, as the next two are
    vectors        INTEGER NOT NULL DEFAULT 0,
    newest         INTEGER NOT NULL DEFAULT 0, -- the number given last
    UNIQUE (provider, model, dimensions)
) STRICT;

-- All vectors of one prompt in one space. IEEE 754 half precision, little-endian; length one, as far as that tells.
CREATE TABLE vectors (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    space          INTEGER NOT NULL REFERENCES spaces (key) ON DELETE CASCADE,
    prompt         INTEGER NOT NULL REFERENCES prompts (key) ON DELETE CASCADE,
    input          BLOB, -- of what the user asked for
    content        BLOB, -- of the prompt itself
    CHECK (input IS NOT NULL OR content IS NOT NULL),
    UNIQUE (prompt, space)
) STRICT;

-- By space, and then by number: every index ends in it.
CREATE INDEX vectors_by_space ON vectors (space);

CREATE TRIGGER vectors_come AFTER INSERT ON vectors BEGIN
    UPDATE spaces SET prompts = prompts + 1, newest = new.number,
        vectors = vectors + (new.input IS NOT NULL) + (new.content IS NOT NULL)
    WHERE key = new.space;
END;

CREATE TRIGGER vectors_go AFTER DELETE ON vectors BEGIN
    UPDATE spaces SET prompts = prompts - 1,
        vectors = vectors - (old.input IS NOT NULL) - (old.content IS NOT NULL)
    WHERE key = old.space;
END;

-- How many prompts there are, because every search tells it and must not walk a million rows for it.
CREATE TABLE totals (
    key            INTEGER PRIMARY KEY CHECK (key = 1),
    prompts        INTEGER NOT NULL
) STRICT;

INSERT INTO totals SELECT 1, count(*) FROM prompts;

CREATE TRIGGER prompts_come AFTER INSERT ON prompts BEGIN
    UPDATE totals SET prompts = prompts + 1;
END;

CREATE TRIGGER prompts_go AFTER DELETE ON prompts BEGIN
    UPDATE totals SET prompts = prompts - 1;
END;
