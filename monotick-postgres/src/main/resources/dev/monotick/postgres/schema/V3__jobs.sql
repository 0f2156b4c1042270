-- Jobs: queued work with attempts.
-- min_code_version: 1
--
-- Where a job is, is where its row is: job_ready, job_delayed, job_gate, job_wait, job_blocked, a claim in
-- job_claim that job_attempt has no end of, job_dead, or nothing but its last job_attempt. Rows of hot tables
-- are inserted once and deleted once; none is updated per job.
--
-- The end of a run is a row of job_attempt, whose primary key makes it unique: whoever inserts it first
-- decides, be it the replica that ran the job, the one that rescues it, or somebody who cancels it.

-- Grows whenever lanes, pauses, limits or weights change, so that replicas read those once.
create table @job_change (
  one      boolean not null primary key default true check (one),
  version  bigint  not null default 1
);
insert into @job_change default values;

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
create table @job_use (
  limit_id     integer     not null,
  tenant       text        not null,
  key          text        not null,
  running      integer     not null default 0,
  tokens       float8      not null default 0,
  refilled_at  timestamptz not null default now(),
  primary key (limit_id, tenant, key)
) with (fillfactor = 50);
-- Which run holds what of a limit; released with the end of the run.
create table @job_hold (
  job_id    bigint  not null,
  run       integer not null,
  limit_id  integer not null,
  tenant    text    not null,
  key       text    not null,
  late      boolean not null default false, -- the run began before the limit was set: its replica does not know
  primary key (job_id, run, limit_id)
);
create index job_hold_late on @job_hold (job_id) where late;
-- Never has rows: it is locked, so that limits are not set while runs begin or end.
create table @job_limit_gate ();

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

-- How far the jobs of each lane were claimed. Below that are dead rows, which an old snapshot may keep by the million: a
-- replica that starts or reconnects begins where others were. An optimisation only: gaps below are swept all the time.
create table @job_scan (
  lane       integer     not null primary key,
  floor      bigint      not null, -- no job of the lane has a lower number, and none can appear
  watermark  bigint      not null, -- all jobs of the lane below it that could be seen were claimed
  timeline   bigint      not null, -- of the server that it was saved on; 0 in portable mode
  saved_at   timestamptz not null
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
create table @job_gate (
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

-- When waiting jobs expire: deadlines, and approvals nobody gave. Rows outlive the wait; whoever comes looks.
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

-- Turns of replicas that found nothing and stay open: whoever adds a job may claim it under such a number for the
-- replica, which is the same as if the replica had come a moment later. Deleted by whoever uses it. A replica writes it
-- again every now and then: an older row is nobody's. So is what a crash leaves, which is why it need not be logged.
create unlogged table @job_open_turn (
  replica  uuid        not null,
  number   bigint      not null,
  version  bigint      not null, -- of what the replica knew of lanes
  lanes    integer[]   not null, -- those without limits
  channel  text        not null, -- where it hears of what it was given; nobody can guess it
  since    timestamptz not null,
  primary key (replica, number)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index job_open_turn_since on @job_open_turn (since);

-- How runs ended, and jobs that nobody ran.
create table @job_attempt (
  job_id       bigint      not null,
  ended_at     timestamptz not null,
  started_at   timestamptz,
  took_micros  bigint      not null,
  replica      uuid,                 -- who had it; null if nobody had
  run          integer     not null,
  attempt      smallint    not null,
  outcome      smallint    not null, -- JobAttempt.Outcome, by its place
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

-- What is known of runs that take longer than a second, and that those of jobs begin which were lost with a replica.
create table @job_note (
  job_id      bigint      not null primary key,
  run         integer     not null,
  replica     uuid        not null,
  started_at  timestamptz not null,
  noted_at    timestamptz not null default now(),
  progress    float8,
  doing       text
) with (fillfactor = 50);
create table @job_line (
  job_id  bigint      not null,
  number  bigint      not null generated always as identity,
  at      timestamptz not null,
  text    text        not null,
  primary key (job_id, number)
) partition by range (job_id);
create table @job_line_other partition of @job_line default;

-- How many jobs there are: sums, and what was not added to them yet. Everybody adds rows, so nobody waits.
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
create table @job_delta (
  lane       integer not null,
  waiting    integer not null,
  ready      integer not null,
  running    integer not null,
  succeeded  integer not null,
  failed     integer not null,
  dead       integer not null,
  ended      integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
