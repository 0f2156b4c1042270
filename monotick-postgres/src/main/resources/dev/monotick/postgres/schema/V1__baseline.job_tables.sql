-- Jobs: queued work with attempts.
--
-- The table that holds a job's row is its state: job_ready, job_delayed, job_approval, job_wait, job_blocked, job_claim
-- (as long as job_attempt has no row for the run), job_dead, or only a last row in job_attempt. Rows of hot tables are
-- inserted once and deleted once; none is updated per job.
--
-- The completion of a run is a row of job_attempt. Its primary key makes it unique: the first insert wins, whether it
-- comes from the replica that ran the job, from a rescuer, or from a cancellation.

-- Grows whenever lanes, pauses, limits or weights change, so that replicas reload them only then.
create table @job_rules_version (
  one      boolean not null primary key default true check (one),
  version  bigint  not null default 1
);
insert into @job_rules_version default values;

-- What is claimed in order.
create table @job_lane (
  id        integer  not null generated always as identity primary key,
  queue     text     not null,
  kind      text     not null,
  tenant    text     not null,
  priority  smallint not null,
  unique (queue, kind, tenant, priority)
);

create table @job_pause (
  of      text        not null check (of in ('QUEUE', 'KIND')),
  name    text        not null,
  by      text        not null,
  note    text        not null,
  since   timestamptz not null default now(),
  primary key (of, name)
);

create table @job_tenant (
  tenant  text    not null primary key,
  weight  integer not null check (weight > 0)
);

create table @job_limit (
  id          integer not null generated always as identity primary key,
  kind        text    not null, -- empty for all of the tenant
  tenant      text    not null, -- empty for all, * for each apart
  per_key     boolean not null, -- each limit key apart
  running     integer,
  rate_count  integer,
  rate_millis bigint,
  unique (kind, tenant, per_key)
);
-- How much of a limit is in use: a row for each tenant or key that it counts apart.
create table @job_limit_use (
  limit_id     integer     not null,
  tenant       text        not null,
  key          text        not null,
  running      integer     not null default 0,
  tokens       float8      not null default 0,
  refilled_at  timestamptz not null default now(),
  primary key (limit_id, tenant, key)
) with (fillfactor = 50);
-- What each run holds of a limit; released when the run is completed.
create table @job_limit_hold (
  job_id    bigint  not null,
  run       integer not null,
  limit_id  integer not null,
  tenant    text    not null,
  key       text    not null,
  late      boolean not null default false, -- the run began before the limit was set: its replica does not know
  primary key (job_id, run, limit_id)
);
create index job_limit_hold_late on @job_limit_hold (job_id) where late;
-- Has no rows. Locked in share mode by claims and completions, exclusively while a limit is set or removed.
create table @limit_lock ();

-- The number of a job: milliseconds since 2025, and what tells apart those of one millisecond. So younger jobs
-- have greater numbers, and days are ranges of them.
create sequence @job_number as bigint minvalue 0 maxvalue 4194303 cycle;

-- What a job is. Inserted once; never changed; dropped with its day.
create table @job (
  id              bigint      not null primary key,
  created_at      timestamptz not null default now(),
  timeout_millis  bigint      not null,
  next_id         bigint,               -- the job that waits for this one
  parent_id       bigint,
  approval_millis bigint,               -- it needs approval, and waits so long for it
  deadline        timestamptz,
  lane            integer     not null,
  version         integer     not null,
  max_attempts    smallint    not null,
  effect          smallint    not null, -- 0 at least once, 1 at most once, 2 transactional
  unique_key      text,
  unique_millis   bigint,               -- the window; null for until it ends
  limit_key       text,
  headers         text[],               -- name, value, name, value
  payload         bytea       not null
) partition by range (id);
create table @job_other partition of @job default;

-- READY. A lane's jobs are claimed in the order of their numbers. Lane -n is the head of lane n: what was handed
-- back, rescued or became due; there numbers do not grow with time.
create table @job_ready (
  id        bigint      not null,
  ready_at  timestamptz not null,
  lane      integer     not null,
  run       integer     not null, -- claims so far
  attempt   smallint    not null, -- attempts so far
  flags     smallint    not null, -- what else must be seen to; see JobFlags
  primary key (lane, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000, vacuum_truncate = off);

-- How far the jobs of each lane were claimed. Below are dead rows, which an old snapshot may keep by the million, so a
-- replica that starts or reconnects begins at the saved position. Only an optimisation: gap scans look below it.
create table @job_scan (
  lane        integer     not null primary key,
  watermark   bigint      not null, -- no job of the lane has a lower number, and none can appear
  claimed_to  bigint      not null, -- all jobs of the lane below it that could be seen were claimed
  timeline    bigint      not null, -- of the server that it was saved on; 0 in portable mode
  saved_at    timestamptz not null
) with (fillfactor = 50);

-- SCHEDULED by time, and RETRYING.
create table @job_delayed (
  due_at    timestamptz not null,
  id        bigint      not null,
  lane      integer     not null,
  run       integer     not null,
  attempt   smallint    not null,
  flags     smallint    not null,
  retrying  boolean     not null,
  primary key (due_at, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
create index job_delayed_id on @job_delayed (id);

-- AWAITING_APPROVAL.
create table @job_approval (
  id        bigint      not null primary key,
  asked_at  timestamptz not null default now(),
  due_at    timestamptz,          -- when it may run if approved; null for at once
  lane      integer     not null,
  run       integer     not null,
  attempt   smallint    not null,
  flags     smallint    not null
);

-- SCHEDULED after other jobs.
create table @job_wait (
  id             bigint   not null primary key,
  lane           integer  not null,
  pending        integer  not null, -- jobs before it that have not ended
  flags          smallint not null,
  needs_success  boolean  not null, -- cancelled if one of them does not succeed
  due_at         timestamptz        -- and not before that
);

-- READY, but its key has as many runs as it may have.
create table @job_blocked (
  limit_id  integer     not null,
  key       text        not null,
  tenant    text        not null,
  id        bigint      not null,
  ready_at  timestamptz not null,
  lane      integer     not null,
  run       integer     not null,
  attempt   smallint    not null,
  flags     smallint    not null,
  primary key (limit_id, tenant, key, id)
);
create index job_blocked_id on @job_blocked (id);

-- When waiting jobs expire: deadlines, and approvals that are overdue. Rows outlive the wait and are checked when due.
create table @job_expiry (
  at      timestamptz not null,
  id      bigint      not null,
  primary key (at, id)
);

-- RUNNING: what a replica claimed at once. Those of its jobs that have a row in job_attempt for their run are over;
-- deleted when all are. The newest row of a replica is kept, so that its number stays used: it loses its jobs when all
-- are over and the replica is idle.
create table @job_claim (
  replica     uuid        not null,
  number      bigint      not null,
  claimed_at  timestamptz not null default now(),
  ids         bigint[]    not null,
  lanes       integer[]   not null,
  runs        integer[]   not null,
  attempts    smallint[]  not null,
  flags       smallint[]  not null,
  primary key (replica, number)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Standing offers of idle replicas. An enqueuer may claim a new job for the replica under the offered number, which has
-- the same effect as a claim by the replica a moment later, and deletes the offer. A replica renews its offer from time
-- to time; older rows are ignored. Unlogged, because rows from before a crash would be ignored too.
create unlogged table @job_offer (
  replica  uuid        not null,
  number   bigint      not null,
  version  bigint      not null, -- job_rules_version that the replica has loaded
  lanes    integer[]   not null, -- those without limits
  channel  text        not null, -- the replica listens here for hand-offs; the name cannot be guessed
  since    timestamptz not null,
  primary key (replica, number)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index job_offer_since on @job_offer (since);

-- How runs ended, and jobs that nobody ran.
create table @job_attempt (
  job_id       bigint      not null,
  ended_at     timestamptz not null,
  started_at   timestamptz,
  took_micros  bigint      not null,
  replica      uuid,                 -- who had it; null if nobody had
  run          integer     not null,
  attempt      smallint    not null,
  outcome      smallint    not null, -- Job.Attempt.Outcome, by its place
  detail       text,
  result       bytea,
  primary key (job_id, run)
) partition by range (job_id);
create table @job_attempt_other partition of @job_attempt default;

-- DEAD: dead letters, until somebody requeues or purges them.
create table @job_dead (
  id       bigint      not null primary key,
  died_at  timestamptz not null,
  lane     integer     not null,
  run      integer     not null
);

-- Who has a key. Released when the job ends, or when its window is over.
create table @job_unique (
  hash    uuid   not null primary key, -- of kind, tenant and key
  job_id  bigint not null,
  until   timestamptz                  -- null for until it ends
);

-- Progress of runs that take longer than a second, and start records: of AT_MOST_ONCE runs, and of jobs that were running
-- when a replica was lost.
create table @job_run (
  job_id       bigint      not null primary key,
  run          integer     not null,
  replica      uuid        not null,
  started_at   timestamptz not null,
  reported_at  timestamptz not null default now(),
  progress     float8,
  doing        text
) with (fillfactor = 50);
create table @job_log (
  job_id  bigint      not null,
  number  bigint      not null generated always as identity,
  at      timestamptz not null,
  text    text        not null,
  primary key (job_id, number)
) partition by range (job_id);
create table @job_log_other partition of @job_log default;

-- How many jobs there are: sums, and changes that are not folded into them yet. Writers only insert, so none waits.
create table @job_count (
  lane       integer not null primary key,
  waiting    bigint  not null default 0,
  ready      bigint  not null default 0,
  running    bigint  not null default 0,
  succeeded  bigint  not null default 0,
  failed     bigint  not null default 0,
  dead       bigint  not null default 0,
  ended      bigint  not null default 0
);
create table @job_count_delta (
  lane       integer not null,
  waiting    integer not null,
  ready      integer not null,
  running    integer not null,
  succeeded  integer not null,
  failed     integer not null,
  dead       integer not null,
  ended      integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- How many days jobs of a queue and tenant stay on record, where that is less than for all others.
create table @job_retention (
  queue       text    not null, -- empty for all
  tenant      text    not null, -- empty for all
  days        integer not null check (days > 0),
  scanned_to  bigint  not null default 0, -- upkeep has scanned the jobs up to this number
  primary key (queue, tenant)
);
-- How far upkeep has scanned the jobs that are in no partition by day.
create table @job_upkeep_scan (
  one         boolean not null primary key default true check (one),
  scanned_to  bigint  not null default 0
);
insert into @job_upkeep_scan default values;

-- Jobs that ended neither well nor as dead letters: few, so that they are found among many.
create index job_attempt_ended on @job_attempt (job_id) where outcome in (4, 8, 9, 10, 11);
create index job_unique_until on @job_unique (until) where until is not null;

-- To compress the arrays of a claim would cost more than all else about it.
alter table @job_claim
  alter column ids set storage external, alter column lanes set storage external, alter column runs set storage external,
  alter column attempts set storage external, alter column flags set storage external;
