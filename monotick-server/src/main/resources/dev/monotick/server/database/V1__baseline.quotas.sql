-- Refusals to tenants: audited, but not each of them.

-- When a refusal was last written to the audit.
create table @quota_refusal (
  tenant   text        not null,
  quota    text        not null,
  audited_at  timestamptz not null default now(),
  primary key (tenant, quota)
);

-- The jobs of a tenant are those of its lanes. The engine never asks for them, the control plane always does: to
-- count them, to list them, to forget the oldest. So the index is ours, on the engine's table.
do $$
begin
  execute format('create index if not exists job_of_lane on %s.job (lane, id)', regexp_replace('@schema', '_server"$', '"'));
end
$$;
