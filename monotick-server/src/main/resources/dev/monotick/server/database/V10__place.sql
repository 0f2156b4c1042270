-- Holds the place of a step that another change brings: steps have no gaps.
-- min_code_version: 1
select 1;
