-- Version 11: the formula that gave a score. Scores of different formulas cannot be compared; those stored before are of the first.

ALTER TABLE prompts ADD COLUMN score_formula INTEGER; -- null until ranked

UPDATE prompts SET score_formula = 1 WHERE score IS NOT NULL;
