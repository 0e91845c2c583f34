-- Version 7: how many terms each prompt has in the index of words, and a trigger less.
--
-- A row for each 2,000 keys, two bytes a key, little-endian, so that one page holds it; 0 where it is not known, 65535
-- where it has no room. FTS5 has the same numbers in `prompt_terms_docsize`, but a row each, which ranking a common word
-- would look up one by one. The program fills it, and writes it with `prompt_terms`.

CREATE TABLE prompt_lengths (
    block          INTEGER PRIMARY KEY, -- the key divided by 2,000
    lengths        BLOB    NOT NULL
) STRICT;

-- A statement that fires a trigger is a savepoint to FTS5, at which it writes out the words it has gathered: many small
-- segments rather than one a commit. Whoever adds prompts counts them now; those that go are still counted by the trigger.
DROP TRIGGER prompts_come;
