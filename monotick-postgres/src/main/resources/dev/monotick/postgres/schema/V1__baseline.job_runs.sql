-- What is recorded of runs that have not ended.

-- Records that runs begin, and returns those that may: the ones whose claims are still there.
--
-- Locks the claims against rescuers (FOR KEY SHARE) before it looks. A rescuer that has one of them is waited for, and has
-- deleted it by then; one that comes later passes over it, and finds the start on record next time. So of a start and a
-- rescue of one run, one comes first, and the other knows. Numbers of jobs must come in their order.
create function @job_start_runs(
  who            uuid,
  of_claims      bigint[],  -- number of the claim of each run
  of_ids         bigint[],
  of_runs        integer[],
  started        bigint     -- microseconds since 1970
) returns setof bigint
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_column
begin
  perform from @job_claim c where c.replica = who and c.number = any (of_claims) order by c.number for key share;
  return query
    insert into @job_run as n (job_id, run, replica, started_at, reported_at)
    select u.id, u.run, who, timestamptz 'epoch' + started * interval '1 microsecond', clock_timestamp()
      from unnest(of_claims, of_ids, of_runs) as u(claim, id, run)
     where exists (select from @job_claim c where c.replica = who and c.number = u.claim and cardinality(c.ids) > 0)
       and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)
    on conflict (job_id) do update
       set run = excluded.run, replica = excluded.replica, started_at = excluded.started_at, reported_at = excluded.reported_at,
           progress = null, doing = null
     where n.run <= excluded.run
    returning n.job_id;
end
$$;

-- Notes what is known of runs, and returns those that have ended, and whether they did so by the word of their replica.
-- Numbers must come in their order.
--
-- A run whose claim is gone has ended, even if no attempt is on record any more because its job was purged.
create function @job_report_progress(
  who          uuid,
  of_ids       bigint[],
  of_runs      integer[],
  of_started   bigint[],  -- microseconds since 1970
  of_progress  float8[],
  of_doing     text[],
  of_claims    bigint[]   -- number of the claim of each run; 0 if it is not open here: nothing is noted of it
) returns table (id bigint, by_itself boolean)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
#variable_conflict use_column
begin
  insert into @job_run as n (job_id, run, replica, started_at, reported_at, progress, doing)
  select u.id, u.run, who, timestamptz 'epoch' + u.started * interval '1 microsecond', clock_timestamp(), u.progress, u.doing
    from unnest(of_ids, of_runs, of_started, of_progress, of_doing, of_claims) as u(id, run, started, progress, doing, claim)
   where exists (select from @job_claim c where c.replica = who and c.number = u.claim)
     and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)
  on conflict (job_id) do update
     set run = excluded.run, replica = excluded.replica, started_at = excluded.started_at, reported_at = excluded.reported_at,
         progress = excluded.progress, doing = excluded.doing
   where n.run <= excluded.run;
  return query
    select a.job_id, coalesce(a.replica = who and a.outcome not in (6, 7), false)
                     and exists (select from @job j where j.id = a.job_id) -- not purged
      from unnest(of_ids, of_runs) as u(id, run) join @job_attempt a on a.job_id = u.id and a.run = u.run
    union all
    select u.id, false
      from unnest(of_ids, of_runs, of_claims) as u(id, run, claim)
     where u.claim > 0
       and not exists (select from @job_claim c where c.replica = who and c.number = u.claim)
       and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run);
end
$$;
