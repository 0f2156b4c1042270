-- Work that goes on elsewhere while its job waits: at an agent, or at a called service that has promised to call back.

-- Whoever changes a row names in WHERE what he believes of it (state, agent, fence): who is late changes nothing.
create table @remote_work (
  id             uuid        not null primary key default gen_random_uuid(),
  tenant         text        not null,
  job_id         bigint      not null,
  attempt        integer     not null,  -- of the job
  kind           text        not null check (kind in ('CALLBACK', 'AGENT')),
  state          text        not null default 'WAITING'
                 check (state in ('WAITING', 'LEASED', 'DONE', 'FAILED', 'CANCELLED')),
  tokens         bytea[]     not null default '{}', -- hashes of what proves that the called service calls back
  accepted       boolean     not null,              -- false while the call itself is under way
  wanted_agent   text,                              -- the only agent that may take it
  labels         jsonb       not null default '{}', -- what an agent that takes it must have
  work           text        not null default '{}', -- what the agent is told, as JSON
  hand_on        boolean     not null default true, -- whether another agent may do it if one is lost with it
  timeout_millis bigint      not null,              -- for doing it
  pickup_millis  bigint      not null default 0,    -- for an agent to take it
  due_at         timestamptz not null,              -- after that the attempt has failed
  agent          text,                              -- who has it, or had it last
  fence          bigint      not null default 0,    -- grows with every lease
  leased_at      timestamptz,
  lease_until    timestamptz,
  losses         integer     not null default 0,    -- agents that were lost with it
  progress       float8,
  doing          text,
  lines          integer     not null default 0,    -- that it added to the job's log
  result         text,                              -- JSON
  error          text,
  permanent      boolean     not null default false, -- another attempt would not mend it
  taken          boolean     not null default false, -- the job knows the end
  created_at     timestamptz not null default now(),
  ended_at       timestamptz
) with (fillfactor = 70);
create unique index remote_work_open on @remote_work (job_id) where state in ('WAITING', 'LEASED');
create index remote_work_job on @remote_work (job_id, created_at);
create index remote_work_waiting on @remote_work (tenant, created_at) where state = 'WAITING' and kind = 'AGENT';
create index remote_work_leased on @remote_work (tenant, agent) where state = 'LEASED';
create index remote_work_lapse on @remote_work (lease_until) where state = 'LEASED';
create index remote_work_due on @remote_work (due_at) where state in ('WAITING', 'LEASED');
create index remote_work_undelivered on @remote_work (ended_at) where state in ('DONE', 'FAILED') and not taken;
create index remote_work_ended on @remote_work (ended_at) where ended_at is not null;

create table @agent (
  tenant        text        not null,
  name          text        not null,
  labels        jsonb       not null default '{}',
  version       text        not null default '',
  capabilities  jsonb       not null default '[]',
  status        text        not null default 'OFFLINE' check (status in ('ONLINE', 'OFFLINE')),
  last_seen     timestamptz,           -- null if it is only known from an inventory
  changes       bigint      not null default 1,
  created_at    timestamptz not null default now(),
  bound_to      text,                  -- who acts as it: key/ID or user/SUBJECT; null until first use
  primary key (tenant, name)
) with (fillfactor = 50);
create index agent_online on @agent (last_seen) where status = 'ONLINE';
create index agent_bound_to on @agent (tenant, bound_to) where bound_to is not null;
