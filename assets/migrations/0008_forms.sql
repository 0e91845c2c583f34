-- Version 8: words are found by all their forms: `GitHub` by `github`, `git` and `hub`.
--
-- Several terms may stand in one position, which no tokenizer of FTS5 allows for: `aludel_terms` is the program's own. It
-- reads terms that are ready: a blank stands before the next position, U+001F before another term of the same. All else is as
-- it was in version 3. Other programs that open the file can read all other tables, but cannot delete prompts: the trigger needs
-- the tokenizer.
-- The program makes the new index of the rows in this transaction; until it ends, others read the old one.

DROP TRIGGER prompts_terms_go;
DROP TABLE prompt_terms;
DELETE FROM prompt_lengths;

CREATE VIRTUAL TABLE prompt_terms USING fts5 (
    content, original_input, tags, notes,
    content = '', contentless_delete = 1,
    tokenize = 'aludel_terms'
);

CREATE TRIGGER prompts_terms_go AFTER DELETE ON prompts BEGIN
    DELETE FROM prompt_terms WHERE rowid = old.key;
END;
