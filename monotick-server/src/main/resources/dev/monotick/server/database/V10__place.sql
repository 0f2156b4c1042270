-- Keeps a number free.
-- min_code_version: 1

select 1;
