-- Version 13: answers to requests that carried an `Idempotency-Key`, so that a repetition is answered and not done again.
--
-- A key is held by one process at a time, for as long as its lease runs. `claim` names the holder: one that overslept, whose
-- key another has claimed since, cannot answer it. Leases and moments are by the database's clock, as with jobs.

CREATE TABLE idempotency_keys (
    owner          TEXT    NOT NULL, -- the caller's identity; empty where requests need none
    key            TEXT    NOT NULL,
    fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32), -- of the request
    claim          BLOB    NOT NULL CHECK (length(claim) = 16),
    leased_until   INTEGER,          -- milliseconds since 1970; null once it is answered
    run            BLOB    CHECK (length(run) = 16), -- what the request started, if anything
    status         INTEGER,          -- null until it is answered
    headers        TEXT,             -- JSON array of pairs
    body           BLOB,             -- null where the answer was too large to keep, or its prompts were deleted
    expires_at     INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_by_run ON idempotency_keys (run) WHERE run IS NOT NULL;
