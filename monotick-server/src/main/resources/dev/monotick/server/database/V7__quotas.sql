-- What is refused to tenants, and told of it, but not too often.
-- min_code_version: 1

-- When the audit was last told that something was refused.
create table @quota_refusal (
  tenant   text        not null,
  quota    text        not null,
  told_at  timestamptz not null default now(),
  primary key (tenant, quota)
);

-- Who approved a job that needs more than one approval. Asked anew, it is another round: those before do not count.
create table @job_approval (
  job_id  bigint      not null,
  round   integer     not null,
  by_id   text        not null,
  by      text        not null,
  note    text        not null,
  at      timestamptz not null default now(),
  primary key (job_id, round, by_id)
);

-- The jobs of a tenant are those of its lanes. The engine never asks for them, the control plane always does: to
-- count them, to list them, to forget the oldest. So the index is ours, on the engine's table.
do $$
begin
  execute format('create index if not exists job_of_lane on %s.job (lane, id)', regexp_replace('@schema', '_server"$', '"'));
end
$$;
