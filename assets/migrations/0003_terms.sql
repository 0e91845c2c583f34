-- Version 3: the words of prompts, to be found by.
--
-- Holds terms, not texts: what core::text makes of a text, one blank between two, so that every database finds the same.
-- Every character but the blank belongs to a term: `ascii` takes all beyond ASCII for part of a term, and here its marks, too.
-- A comma by itself, which is never a term, stands between two tags, so that no phrase spans them. A row has its prompt's key;
-- the program writes it, in the transaction that writes the prompt, the trigger takes it out again. An index of beginnings
-- (`prefix = '2 3'`) would double its size and the time to write it, and only helps beginnings of one or two letters.

CREATE VIRTUAL TABLE prompt_terms USING fts5 (
    content, original_input, tags, notes,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

CREATE TRIGGER prompts_terms_go AFTER DELETE ON prompts BEGIN
    DELETE FROM prompt_terms WHERE rowid = old.key;
END;

-- What matches are filtered by, by key and without the texts: a common word may match a large part of all prompts.
CREATE INDEX prompts_by_key ON prompts (key, created_at, phase, provider, model, persona, session_id);
