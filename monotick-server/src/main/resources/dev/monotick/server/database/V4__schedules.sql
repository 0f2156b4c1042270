-- Stored schedules and their ticks.
-- min_code_version: 1

create table @schedule (
  id              uuid        not null primary key default gen_random_uuid(),
  tenant          text        not null,
  name            text        not null,
  version         bigint      not null default 1,
  spec            jsonb       not null,  -- timing, policies and what to run; see ScheduleSpec
  enabled         boolean     not null default true,
  paused_until    timestamptz,           -- infinity for until somebody resumes it
  paused_by       text,
  pause_note      text,
  next_at         timestamptz,           -- nominal time of the next tick; null if there is none
  cursor_at       timestamptz not null default now(), -- ticks up to here are accounted for
  not_before      timestamptz,           -- backing off after failures or refusals
  failures        integer     not null default 0,     -- in a row
  fired           bigint      not null default 0,
  skipped         bigint      not null default 0,
  missed          bigint      not null default 0,
  succeeded       bigint      not null default 0,
  failed          bigint      not null default 0,
  created_at      timestamptz not null default now(),
  created_by      text        not null,
  changed_at      timestamptz not null default now(),
  changed_by      text        not null,
  unique (tenant, name)
) with (fillfactor = 70);
create index schedule_due on @schedule (next_at) where enabled and next_at is not null;
create index schedule_tenant on @schedule (tenant, id);

-- The primary key is what makes a tick unique.
create table @schedule_tick (
  schedule   uuid        not null,
  nominal    timestamptz not null,
  trigger    text        not null default '', -- empty for ticks of the schedule
  tenant     text        not null,
  count      bigint      not null default 1,  -- ticks that this row stands for, when nobody ran them
  job_id     bigint,
  outcome    text,                            -- null while its job has not ended
  reason     text,
  replica    text        not null,
  fired_at   timestamptz not null default now(),
  ended_at   timestamptz,
  primary key (schedule, nominal, trigger)
);
create index schedule_tick_open on @schedule_tick (schedule, nominal) where outcome is null;
create index schedule_tick_fired on @schedule_tick (fired_at);
