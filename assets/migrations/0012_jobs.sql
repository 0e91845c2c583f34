-- Version 12: work that can be listed, followed, stopped and taken up again.
--
-- A job is held by one process at a time, for as long as its lease runs; taking it up again raises `attempt`, and what an
-- earlier attempt still wants to write is refused by that. Leases and moments are by the database's clock, so that processes
-- whose own clocks differ agree.

CREATE TABLE jobs (
    key            INTEGER PRIMARY KEY,
    id             BLOB    NOT NULL UNIQUE CHECK (length(id) = 16), -- the run's
    operation      TEXT    NOT NULL,
    about          TEXT    NOT NULL, -- a line for people
    request        TEXT    NOT NULL, -- JSON object
    kept           INTEGER NOT NULL, -- 1: survives its watcher, and a server may take it up unasked
    state          TEXT    NOT NULL CHECK (state IN ('running', 'interrupted', 'finished', 'failed', 'cancelled')),
    stop_asked     INTEGER NOT NULL DEFAULT 0,
    attempt        INTEGER NOT NULL,
    owner          TEXT,             -- the process that holds it, for people
    leased_until   INTEGER,          -- milliseconds since 1970; null once it has ended
    total          INTEGER,
    done           INTEGER NOT NULL DEFAULT 0,
    failed         INTEGER NOT NULL DEFAULT 0, -- of `done`
    events         INTEGER NOT NULL DEFAULT 0, -- the number of the next one in job_events
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    ended_at       INTEGER,
    expires_at     INTEGER           -- when an ended one is forgotten
) STRICT;

CREATE INDEX jobs_by_moment ON jobs (created_at, id);
CREATE INDEX jobs_by_lease ON jobs (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX jobs_by_expiry ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- What is done and need not be done again.
CREATE TABLE job_units (
    job            INTEGER NOT NULL REFERENCES jobs (key) ON DELETE CASCADE,
    unit           TEXT    NOT NULL,
    is_whole       INTEGER NOT NULL, -- 0: a step of a unit
    result         TEXT    NOT NULL, -- JSON
    PRIMARY KEY (job, unit)
) STRICT, WITHOUT ROWID;

-- What whoever follows it is told, numbered without gaps.
CREATE TABLE job_events (
    job            INTEGER NOT NULL REFERENCES jobs (key) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    event          TEXT    NOT NULL, -- JSON object
    PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;
