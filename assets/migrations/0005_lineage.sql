-- Version 5: what was derived from a prompt.

CREATE INDEX prompts_by_parent ON prompts (parent_id, created_at, id) WHERE parent_id IS NOT NULL;
