-- Version 9: what all prompts came to, so that nobody need read every row to tell.
--
-- A row for all together (kind and key empty), and one for each day, phase, provider, model, persona and tag. `totals` is a JSON
-- object: sums, and how often which latency came. The program writes it with the prompts, and fills it at first.

CREATE TABLE kept_totals (
    kind           TEXT NOT NULL,
    key            TEXT NOT NULL,
    totals         TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
