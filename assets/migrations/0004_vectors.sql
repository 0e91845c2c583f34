-- Version 4: vectors of prompts.
--
-- Vectors of different spaces never meet. A vector is never changed: new ones get a new number, and what lies beside the
-- database is told by the number how far it reaches.

CREATE TABLE spaces (
    key            INTEGER PRIMARY KEY AUTOINCREMENT,
    stamp          BLOB    NOT NULL CHECK (length(stamp) = 16), -- by chance: tells this space from any other file's
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    dimensions     INTEGER NOT NULL CHECK (dimensions BETWEEN 1 AND 65536),
    UNIQUE (provider, model, dimensions)
) STRICT;

CREATE TABLE vectors (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    space          INTEGER NOT NULL REFERENCES spaces (key) ON DELETE CASCADE,
    prompt         INTEGER NOT NULL REFERENCES prompts (key) ON DELETE CASCADE,
    part           INTEGER NOT NULL CHECK (part IN (0, 1)), -- 0 what the user asked for, 1 the prompt itself
    vector         BLOB    NOT NULL, -- IEEE 754 half precision, little-endian; length one
    UNIQUE (prompt, space, part)
) STRICT;

CREATE INDEX vectors_of_space ON vectors (space, prompt);
