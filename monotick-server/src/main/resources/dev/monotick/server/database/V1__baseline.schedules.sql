-- Stored schedules and their ticks.

create table @schedule (
  id              uuid        not null primary key default gen_random_uuid(),
  tenant          text        not null,
  name            text        not null,
  version         bigint      not null default 1,
  spec            jsonb       not null,  -- timing, policies and what to run; see ScheduleSpec
  enabled         boolean     not null default true,
  paused_until    timestamptz,           -- infinity for until somebody resumes it; null if it is not paused
  paused_at       timestamptz,
  paused_by       text,
  pause_note      text,
  next_at         timestamptz,           -- nominal time of the next tick; null if there is none
  not_before      timestamptz,           -- backing off after failures or refusals
  refusals        integer     not null default 0, -- ticks in a row that became no job
  fired           bigint      not null default 0,
  skipped         bigint      not null default 0,
  missed          bigint      not null default 0,
  created_at      timestamptz not null default now(),
  created_by      text        not null,
  changed_at      timestamptz not null default now(),
  changed_by      text        not null,
  -- When somebody must look at it. Derived, so that no change of the above can forget it.
  due_at          timestamptz generated always as (
    case when not enabled or next_at is null or paused_until = 'infinity' then null
         when paused_until is not null then paused_until
         else greatest(next_at, not_before) end) stored,
  -- Grows with each firing. A firing names the fence it has read and increments it; its ticks and jobs carry the new one.
  fence           bigint      not null default 0,
  unique (tenant, name)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
create index schedule_due on @schedule (due_at) where due_at is not null;
-- Schedules whose next time follows the end of a job that has not ended.
create index schedule_without_time on @schedule (id) where next_at is null and spec ->> 'fixedDelay' is not null;

-- How jobs of schedules ended. Apart from the schedule, whose row is locked while it fires.
create table @schedule_result (
  schedule      uuid    not null primary key,
  succeeded     bigint  not null default 0,
  failed        bigint  not null default 0,
  failures      integer not null default 0, -- in a row
  last_failure  text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);

-- The ledger: the primary key is what makes a tick unique.
create table @schedule_tick (
  schedule   uuid        not null,
  nominal    timestamptz not null,
  trigger    text        not null default '', -- empty for ticks of the schedule, backfill, or key:… of a caller
  tenant     text        not null,
  count      bigint      not null default 1,  -- ticks from here on that this row stands for, when nobody ran them
  job_id     bigint,                          -- null if it became no job, or waits for the one before it
  outcome    text,                            -- null while its job has not ended
  reason     text,
  cancel     boolean     not null default false, -- a newer tick wants it out of its way
  replica    text        not null,
  fired_at   timestamptz not null default now(),
  ended_at   timestamptz,
  fence      bigint,
  primary key (schedule, nominal, trigger)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);
create index schedule_tick_open on @schedule_tick (schedule, nominal) where outcome is null;
create unique index schedule_tick_key on @schedule_tick (schedule, trigger) where starts_with(trigger, 'key:');
create index schedule_tick_fired on @schedule_tick (fired_at);
