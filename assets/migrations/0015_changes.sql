-- Version 15: how many changes stored prompts have seen, so that a server notices at a glance what another process did.
--
-- Raised in the transaction that adds, edits, deletes or restores prompts. Ranking does not count.

ALTER TABLE totals ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
