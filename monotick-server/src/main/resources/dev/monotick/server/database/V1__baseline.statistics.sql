-- Statistics of jobs, alerts on dead letters, and quotas per hour.

-- Sums of a minute, an hour or a day (UTC). All three grow in one transaction, so none is made from another that is
-- gone by then. Histograms count by the bounds of the code; those behind the last that is not zero are left out.
create table @job_statistic (
  tenant         text        not null,
  resolution     text        not null check (resolution in ('MINUTE', 'HOUR', 'DAY')),
  at             timestamptz not null,
  kind           text        not null,
  queue          text        not null,
  added          bigint      not null,
  succeeded      bigint      not null,
  failed         bigint      not null, -- attempts
  retried        bigint      not null,
  dead           bigint      not null,
  cancelled      bigint      not null,
  snoozed        bigint      not null,
  rescued        bigint      not null,
  requeued       bigint      not null,
  ended          bigint      not null, -- discarded, lost, rejected or expired
  runs           bigint      not null, -- whose length is known
  run_micros     bigint      not null,
  run_longest    bigint      not null,
  run_histogram  bigint[]    not null,
  starts         bigint      not null, -- first ones
  wait_micros    bigint      not null,
  wait_longest   bigint      not null,
  wait_histogram bigint[]    not null,
  primary key (tenant, resolution, at, kind, queue)
) with (fillfactor = 70);
create index job_statistic_old on @job_statistic (resolution, at);

create function @histogram_add(a bigint[], b bigint[]) returns bigint[]
language sql immutable
as $$
  select array(select coalesce(u.x, 0) + coalesce(u.y, 0) from unnest(a, b) with ordinality as u(x, y, place) order by u.place)
$$;
create aggregate @histogram_sum(bigint[]) (sfunc = @histogram_add, stype = bigint[], initcond = '{}');

-- How far it is counted; see RollUp. The transactions of a pass are those from low, below high; of them, what
-- happened before done_to is counted, and of those before low everything.
create table @statistics_progress (
  one         boolean     not null primary key default true check (one),
  low         bigint      not null,
  high        bigint      not null,
  reach       timestamptz not null, -- nothing of the pass happened before
  done_to     timestamptz not null, -- infinity if the pass is over
  began_at    timestamptz not null,
  counted_at  timestamptz not null  -- when the last pass that is over began
);
insert into @statistics_progress (low, high, reach, done_to, began_at, counted_at)
select t.open, t.open, clock_timestamp(), 'infinity', clock_timestamp(), clock_timestamp()
  from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as open) t;

-- When which transaction was the next.
create table @statistics_mark (
  next  bigint      not null primary key,
  at    timestamptz not null
);
insert into @statistics_mark (next, at) select high, began_at - interval '1 hour' from @statistics_progress;

-- What is counted, but cannot be told from the number of its transaction.
create table @statistics_ahead (
  job_id  bigint      not null,
  run     integer     not null, -- -1 for that it was added
  at      timestamptz not null,
  primary key (job_id, run)
);
create index statistics_ahead_old on @statistics_ahead (at);

-- Attempts are appended, so a block holds those of one time: this index is tiny, and costs the engine next to nothing.
do $$
begin
  execute format('create index if not exists job_attempt_ended_at on %s.job_attempt using brin (ended_at)'
    ' with (pages_per_range = 32, autosummarize = on)', regexp_replace('@schema', '_server"$', '"'));
end
$$;

-- Tenants that have more dead letters than is good.
create table @dead_letter_alert (
  tenant  text        not null primary key,
  since   timestamptz not null default now()
);

-- Jobs made in the present hour, or in the last one in which any were.
create table @job_creation (
  tenant  text        not null primary key,
  hour    timestamptz not null,
  jobs    bigint      not null
) with (fillfactor = 50);
