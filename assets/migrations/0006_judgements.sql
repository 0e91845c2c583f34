-- Version 6: what judges said of prompts, and what is known of judges.
--
-- A judgement stays while one of its candidates is stored. Candidates are told by their ids, not by their rows, so that
-- one that was deleted and comes back by an import finds its judgements again.

CREATE TABLE judgements (
    key            INTEGER PRIMARY KEY,
    id             BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    created_at     INTEGER NOT NULL,
    judgement      TEXT    NOT NULL -- all of it, as JSON
) STRICT;

CREATE TABLE judgement_candidates (
    prompt         BLOB    NOT NULL CHECK (length(prompt) = 16), -- its id
    judgement      INTEGER NOT NULL REFERENCES judgements (key) ON DELETE CASCADE,
    PRIMARY KEY (prompt, judgement)
) STRICT, WITHOUT ROWID;

CREATE INDEX judgement_candidates_by_judgement ON judgement_candidates (judgement);

-- The newest profile of each judge. They speak of models, so deleting prompts leaves them.
CREATE TABLE judge_profiles (
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    audited_at     INTEGER NOT NULL,
    profile        TEXT    NOT NULL, -- all of it, as JSON
    PRIMARY KEY (provider, model)
) STRICT, WITHOUT ROWID;
