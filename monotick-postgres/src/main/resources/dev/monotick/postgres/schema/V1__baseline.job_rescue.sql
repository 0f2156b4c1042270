-- Claims of replicas that are gone, and claims that their replica never heard of.

-- Returns whether the claims of a replica are left to it: it is a member, or its process joined again just now, and reports what
-- ended. A replica that is not in the list is gone.
create function @replica_keeps_claims(of_replica uuid) returns boolean
language sql stable
as $$
  select exists (
    select from @replica r
     where r.id = of_replica and (r.gone_at is null or r.rejoined_at > clock_timestamp() - interval '3 seconds'))
$$;

-- Sees to the runs of replicas that are gone, and returns how many there were.
--
-- A process that joined again under another id did not die of the job, so that does not count as a crash.
--
-- How often a job was lost with its replica is counted in its flags: two bits, 128 is one. The first time counts whatever
-- the run did, since a run that begins writes nothing. From then on a run has a note before it begins, and counts only with
-- that: so a job that merely waited on a replica which another one took along is not given up. A job that may not run
-- twice (flag 32) always has a note before it begins: with one nobody knows what it did, without one it is ready again.
--
-- Locks the claims; another rescuer passes over them, and so does this over those whose runs begin right now. Somebody who ends one of the runs right now is waited for.
create function @job_rescue(most_crashes integer) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_column
declare
  at        timestamptz := clock_timestamp();
  owners    uuid[];
  ids       bigint[];
  lanes     integer[];
  runs      integer[];
  attempts  smallint[];
  flags     smallint[];
  outcomes  smallint[];
  starts    timestamptz[];
  details   text[];
  lost_ids  bigint[];
  lost_runs integer[];
  tids      tid[];
begin
  -- By a statement of its own: the next one sees all starts that were recorded before the claims were locked.
  tids := array(
    select d.ctid from @job_claim d
     where not @replica_keeps_claims(d.replica)
     for update skip locked);
  with gone as (
    delete from @job_claim c where c.ctid = any (tids)
    returning c.replica, c.ids, c.lanes, c.runs, c.attempts, c.flags)
  select array_agg(s.replica), array_agg(s.id), array_agg(s.lane), array_agg(s.run), array_agg(s.attempt), array_agg(s.flag),
         array_agg(s.outcome::smallint), array_agg(s.started_at),
         array_agg('replica ' || coalesce(s.name, s.replica::text)
                   || case when s.has_rejoined then ' lost its membership' else ' is gone' end
                   || case s.outcome when 7 then ', and ' || (s.crashes - 1) || ' before it' else '' end
                   || case when s.started_at is not null then ': its handler had begun'
                           when s.may_have_begun then ': it is unknown whether its handler had begun'
                           else ': its handler had not begun' end)
    into owners, ids, lanes, runs, attempts, flags, outcomes, starts, details
    from (select k.replica, k.name, k.id, k.lane, k.run, k.attempt, k.started_at, k.has_rejoined, k.may_have_begun, k.crashes,
                 case when k.counts then (k.flag + 128)::smallint else k.flag end as flag,
                 case when k.flag & 32 <> 0 and k.started_at is not null then 8 when k.counts and k.crashes >= most_crashes then 7 else 6 end as outcome
            from (select g.replica, p.name, u.id, u.lane, u.run, u.attempt, u.flag, n.started_at,
                         n.started_at is not null or u.flag & (384 | 32) = 0 as may_have_begun,
                         p.rejoined_at is not null as has_rejoined,
                         (n.started_at is not null or u.flag & (384 | 32) = 0) and p.rejoined_at is null as counts,
                         (u.flag >> 7 & 3) + 1 as crashes -- with this one
                    from gone g
                   cross join lateral unnest(g.ids, g.lanes, g.runs, g.attempts, g.flags) as u(id, lane, run, attempt, flag)
                    left join @job_run n on n.job_id = u.id and n.run = u.run and n.replica = g.replica
                    left join @replica p on p.id = g.replica
                   -- One that died and was purged has no attempts any more, but a claim of several jobs may still name it.
                   where exists (select from @job j where j.id = u.id)
                     and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)) as k
           order by k.id, k.run) as s;
  if ids is null then
    return 0;
  end if;
  with new as (
    insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail)
    select u.id, at, u.started, coalesce(greatest(extract(epoch from at - u.started) * 1000000, 0), 0)::bigint,
           u.owner, u.run, u.attempt, u.outcome, u.detail
      from unnest(ids, starts, owners, runs, attempts, outcomes, details) as u(id, started, owner, run, attempt, outcome, detail)
    on conflict do nothing
    returning job_id, run),
  lost as (select u.id, u.run from unnest(ids, runs) as u(id, run) except select n.job_id, n.run from new n)
  select array_agg(l.id), array_agg(l.run) into lost_ids, lost_runs from lost l;
  if lost_ids is not null then -- others ended these right now: few, since what had ended before was left out above
    select array_agg(u.id), array_agg(u.lane), array_agg(u.run), array_agg(u.attempt), array_agg(u.flag), array_agg(u.outcome)
      into ids, lanes, runs, attempts, flags, outcomes
      from unnest(ids, lanes, runs, attempts, flags, outcomes) as u(id, lane, run, attempt, flag, outcome)
     where not exists (select from unnest(lost_ids, lost_runs) as l(id, run) where l.id = u.id and l.run = u.run);
  end if;
  if ids is null then
    return 0;
  end if;
  insert into @job_ready (id, ready_at, lane, run, attempt, flags)
  select u.id, at, - u.lane, u.run, u.attempt - 1, u.flag & ~4::smallint
    from unnest(ids, lanes, runs, attempts, flags, outcomes) as u(id, lane, run, attempt, flag, outcome)
   where u.outcome = 6;
  insert into @job_dead (id, died_at, lane, run)
  select u.id, at, u.lane, u.run from unnest(ids, lanes, runs, outcomes) as u(id, lane, run, outcome) where u.outcome = 7;
  perform @job_restore_expiry(array_agg(u.id))
     from unnest(ids, flags, outcomes) as u(id, flag, outcome) where u.flag & 16 <> 0 and u.outcome = 6 having count(*) > 0;
  delete from @job_run n where n.job_id = any (ids);
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, count(*) filter (where u.outcome = 6), - count(*), 0, 0,
         count(*) filter (where u.outcome = 7), count(*) filter (where u.outcome = 8)
    from unnest(lanes, outcomes) as u(lane, outcome) group by u.lane;
  perform @job_release_limits(array_agg(u.id), array_agg(u.run))
     from unnest(ids, runs, flags) as u(id, run, flag) where u.flag & 4 <> 0 having count(*) > 0;
  perform @job_finalize(array_agg(u.id), array_agg(u.run), array_agg(u.lane), array_agg((u.flag & ~4)::smallint), array_agg(false))
     from unnest(ids, runs, lanes, flags, outcomes) as u(id, run, lane, flag, outcome)
    where u.outcome in (7, 8) and u.flag & 3 <> 0 having count(*) > 0;
  return cardinality(ids);
end
$$;

-- Releases claims of a replica whose answer it never received, and returns the number of jobs. Such a claim arises if an
-- exchange without an answer was sent again and the first message was executed after the second one was done.
create function @job_release_unknown(who uuid, before bigint, known bigint[]) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_column
declare
  ids       bigint[];
  lanes     integer[];
  runs      integer[];
  attempts  smallint[];
  flags     smallint[];
begin
  with gone as (
    delete from @job_claim c where c.ctid = any (array(
      select d.ctid from @job_claim d where d.replica = who and d.number < before and d.number <> all (known) for update skip locked))
    returning c.ids, c.lanes, c.runs, c.attempts, c.flags)
  select array_agg(s.id), array_agg(s.lane), array_agg(s.run), array_agg(s.attempt), array_agg(s.flag)
    into ids, lanes, runs, attempts, flags
    from (select u.* from gone g
           cross join lateral unnest(g.ids, g.lanes, g.runs, g.attempts, g.flags) as u(id, lane, run, attempt, flag)
           where exists (select from @job j where j.id = u.id) -- not purged
             and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)
           order by u.id, u.run) as s;
  if ids is null then
    return 0;
  end if;
  perform @job_lock_limits(array(
    select distinct h.limit_id from unnest(ids, runs) as u(id, run) join @job_limit_hold h on h.job_id = u.id and h.run = u.run));
  perform @job_record_completions(who, row(
    ids, runs, attempts, lanes, flags, array_fill(5::smallint, array[cardinality(ids)]), array_fill(null::bigint, array[cardinality(ids)]),
    array_fill(0::bigint, array[cardinality(ids)]), null, null, null, null, null, null, null)::@job_completions);
  return cardinality(ids);
end
$$;
