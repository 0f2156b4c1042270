-- Fences of ticks, times that follow the end of a job, who set which limit on jobs, and paused tasks.
-- min_code_version: 1

-- Grows with everybody who takes the schedule to make ticks of it. Whoever does so names the one he read; what he
-- made carries the next, and so do the calls of its jobs.
alter table @schedule add column fence bigint not null default 0;
alter table @schedule_tick add column fence bigint; -- null if it is older than fences

-- Those whose next time follows the end of a job that goes on.
create index schedule_without_time on @schedule (id) where next_at is null and spec ->> 'fixedDelay' is not null;

-- The engine has the limits themselves.
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

-- Paused tasks of those that every replica has for itself; each does as this says.
create table @task_pause (
  task       text        not null primary key,
  paused_by  text        not null,
  note       text        not null,
  paused_at  timestamptz not null default now()
);
