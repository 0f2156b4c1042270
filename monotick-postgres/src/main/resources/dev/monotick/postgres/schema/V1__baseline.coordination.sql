-- Coordination of replicas: tasks, their ticks, leases and the replicas themselves.
-- min_code_version: 1

-- One row: the identity of this store, which tells it from the store of another database.
create table @store (
  id          uuid        not null primary key default gen_random_uuid(),
  created_at  timestamptz not null default now()
);
insert into @store default values;

-- State of each task. Locked before any of its ticks is changed, so its counters are exact.
create table @task (
  name             text        not null primary key,
  schedule         text        not null,
  cursor_at        timestamptz not null, -- the newest nominal time that is accounted for; only grows
  failures         integer     not null default 0,
  last_failure_at  timestamptz,
  last_ended_at    timestamptz,
  last_success_at  timestamptz,
  paused_by        text,
  pause_note       text,
  paused_at        timestamptz,
  open             integer     not null default 0, -- ticks that occupy the task
  queued           integer     not null default 0  -- ticks that wait
) with (fillfactor = 60); -- updated at each tick: room for the new version on the same page, and no index on what changes

-- The ledger: one row for each tick, or for a range of neighbouring ticks that were not run.
-- Its primary key makes a tick unique, also while two replicas take themselves for the leader.
create table @tick (
  task           text        not null,
  nominal        timestamptz not null,
  trigger_key    text        not null default '', -- empty for ticks of the schedule
  last_nominal   timestamptz not null,
  count          bigint      not null default 1,
  status         text        not null check (status in ('WAITING', 'RUNNING', 'ENDED')),
  outcome        text,
  reason         text,
  detail         text,
  claim_replica  uuid,
  claim_number   bigint,
  spent_claims   text[],                          -- claims before the newest one
  fence_timeline bigint,
  fence_epoch    bigint,
  effect         text,
  attempt        integer     not null default 0,
  started_at     timestamptz,
  ended_at       timestamptz,
  occupies       boolean     not null default false, -- claimed, and its body has not ended
  allows_others  boolean     not null default false, -- claimed by a task whose runs may overlap
  cancel_asked   boolean     not null default false,
  may_have_begun boolean     not null default false, -- by a claim that is over
  primary key (task, nominal, trigger_key)
) partition by range (nominal);
-- Ticks that wait or run: few rows, however long the history is.
create index tick_live on @tick (task) where status <> 'ENDED' or occupies;
-- For times without a partition of their own, far in the past or the future.
create table @tick_other partition of @tick default;

-- Keys of triggers: a repeated trigger with the same key gives the same tick.
create table @trigger_key (
  task     text        not null,
  key      text        not null,
  nominal  timestamptz not null,
  primary key (task, key)
);
create index trigger_key_nominal on @trigger_key (nominal);

-- The newest fence of each leadership group. Apart from the lease, so that claims, which lock this
-- row in share mode, and renewals, which write the other one, do not wait for each other.
create table @fence (
  group_name  text   not null primary key,
  timeline    bigint not null,
  epoch       bigint not null
);

-- The current or last leader of each group.
create table @lease (
  group_name   text        not null primary key,
  holder       uuid        not null,
  holder_name  text,
  timeline     bigint      not null,
  epoch        bigint      not null,
  heartbeat    bigint      not null default 0, -- counts renewals, so that observers need no clock
  released     boolean     not null default false,
  lease_millis bigint      not null default 0, -- the holder's own lease duration: replicas may be configured differently
  presence     bigint,                         -- the holder's session lock, if it held one when it last renewed
  acquired_at  timestamptz not null default now()
) with (fillfactor = 50); -- renewed all the time: room for the new version on the same page

-- Memberships: processes that take part, or did. A row that has gone_at is final: a process that comes back gets another
-- row with another id.
create table @replica (
  id            uuid        not null primary key,
  name          text        not null,
  version       text        not null,
  started_at    timestamptz not null,
  joined_at     timestamptz not null default now(),
  heartbeat     bigint      not null default 0,
  heartbeat_at  timestamptz not null default now(),
  clock_offset  interval    not null default '0',
  tasks         text[]      not null default '{}',
  tzdb          text        not null default '', -- version of its time-zone data
  kinds         text[]      not null default '{}', -- kinds of jobs it handles
  definitions   text[]      not null default '{}', -- of each task its name, then one property=value a line
  revision      bigint      not null default 0, -- grows when any of these change, so that others read them once
  alone         boolean     not null default false,
  presence      bigint,               -- key of a session lock it holds, and of another, that # 1; null if it holds none
  gone_at       timestamptz,          -- left, or was found dead, or its process came back
  rejoined_at   timestamptz           -- when its process joined again, under another id; null if it did not
);
create index replica_alive on @replica (id) where gone_at is null;

-- The ids that are gone, once more: asked at each claim. Only inserted into, unlike replica, whose rows are updated every
-- second, so that a lookup costs the same however many dead rows an old snapshot keeps.
create table @replica_gone (
  id  uuid not null primary key
);
