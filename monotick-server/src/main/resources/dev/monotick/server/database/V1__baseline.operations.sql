-- Views that replicas publish of themselves, commands to them, and records of settings.

-- Written by each replica every few seconds; read to show the whole cluster.
create table @replica_view (
  replica  uuid        not null primary key,
  name     text        not null,
  at       timestamptz not null default now(),
  view     jsonb       not null
) with (fillfactor = 50);

-- Commands to a replica, executed by that replica.
create table @replica_command (
  id        uuid        not null primary key default gen_random_uuid(),
  replica   uuid        not null,
  action    text        not null check (action in ('RESIGN', 'DRAIN')),
  argument  text        not null default '',
  asked_by  text        not null,
  asked_at  timestamptz not null default now(),
  done_at   timestamptz,
  result    text
);
create index replica_command_open on @replica_command (replica) where done_at is null;

-- Who changed which limit on jobs. The limits themselves are in the engine's tables.
create table @limit_change (
  kind        text        not null,
  tenant      text        not null,
  per_key     boolean     not null,
  version     bigint      not null default 0,
  note        text        not null default '',
  changed_by  text        not null default '',
  changed_at  timestamptz not null default now(),
  primary key (kind, tenant, per_key)
);

-- Paused tasks of replicas; each replica follows this table.
create table @task_pause (
  task       text        not null primary key,
  paused_by  text        not null,
  note       text        not null,
  paused_at  timestamptz not null default now()
);
