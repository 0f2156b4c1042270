-- Tenants and who may act for them.
-- min_code_version: 1

create table @tenant (
  name        text        not null primary key,
  title       text        not null default '',
  version     bigint      not null default 1,
  weight      integer     not null default 1 check (weight between 1 and 1000),
  -- Overrides of the defaults; null for the default, -1 for unlimited.
  active_jobs    bigint check (active_jobs >= -1),
  retained_jobs  bigint check (retained_jobs >= -1),
  agents         bigint check (agents >= -1),
  schedules      bigint check (schedules >= -1),
  -- What happens at the limit of jobs on record: the oldest are forgotten, or new ones are refused.
  retained_policy text     not null default 'TRIM' check (retained_policy in ('TRIM', 'REFUSE')),
  suspended   boolean     not null default false,
  created_at  timestamptz not null default now(),
  jobs_per_hour  bigint check (jobs_per_hour >= -1)
);
insert into @tenant (name, title) values ('default', 'Default');

-- Keys are random and long, so a plain hash of them is enough; the id finds the row, the hash proves the secret.
create table @api_key (
  id            text        not null primary key,
  tenant        text,                 -- null for keys of the whole installation
  role          text        not null check (role in ('ADMIN', 'OPERATOR', 'VIEWER', 'AGENT')),
  name          text        not null,
  hash          bytea       not null,
  version       bigint      not null default 1,
  created_at    timestamptz not null default now(),
  created_by    text        not null,
  expires_at    timestamptz,
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  agent         text check (agent is null or role = 'AGENT') -- the only agent that the key may act as
);
create index api_key_tenant on @api_key (tenant, id);
create index api_key_agent on @api_key (tenant, agent) where agent is not null;
