-- Version 14: which client of a server a call is charged to, and what its calls of a day count as.
--
-- A client is the token that it presented, by its `sub` and `jti`. Calls of before, and those of the user's own, have none.

ALTER TABLE calls ADD COLUMN caller TEXT;
ALTER TABLE calls ADD COLUMN calls INTEGER NOT NULL DEFAULT 1; -- what it counts as: of a reservation, the calls reserved

-- So that the caps of a caller are asked for in one step.
CREATE TABLE caller_days (
    caller         TEXT    NOT NULL,
    day            INTEGER NOT NULL, -- days since 1970, UTC
    counted        INTEGER NOT NULL,
    calls          INTEGER NOT NULL,
    PRIMARY KEY (caller, day)
) STRICT, WITHOUT ROWID;

-- Who began a job, so that what it costs when it is taken up again is charged to the same: JSON object.
ALTER TABLE jobs ADD COLUMN caller TEXT;
