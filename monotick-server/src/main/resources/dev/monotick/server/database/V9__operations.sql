-- What replicas tell of themselves, and what they are asked to do.
-- min_code_version: 1

-- Written by each replica every few seconds; whoever shows the whole cluster reads all of them.
create table @replica_view (
  replica  uuid        not null primary key,
  name     text        not null,
  at       timestamptz not null default now(),
  view     jsonb       not null
) with (fillfactor = 50);

-- Asked of one replica by anybody, done by that one.
create table @replica_order (
  id        uuid        not null primary key default gen_random_uuid(),
  replica   uuid        not null,
  action    text        not null check (action in ('RESIGN', 'DRAIN')),
  argument  text        not null default '',
  asked_by  text        not null,
  asked_at  timestamptz not null default now(),
  done_at   timestamptz,
  result    text
);
create index replica_order_open on @replica_order (replica) where done_at is null;
