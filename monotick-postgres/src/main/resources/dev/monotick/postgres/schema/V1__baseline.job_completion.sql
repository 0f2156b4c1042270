-- Completions of runs, and what follows from them.

-- Runs that ended, column by column, in the order of their jobs' numbers.
create type @job_completions as (
  ids       bigint[],   -- null for none
  runs      integer[],
  attempts  smallint[],
  lanes     integer[],  -- 0 for what is not one of the replica's claims
  flags     smallint[],
  outcomes  smallint[],
  started   bigint[],   -- microseconds since 1970
  took      bigint[],
  details   text[],     -- null if none has any
  results   bytea[],    -- null if none has any
  delays    bigint[],   -- microseconds until it is tried again; null if none is
  places    integer[],  -- the place of the run's claim in what follows; 0 if it has none
  claims    bigint[],   -- claims of these runs, and others that are over
  finished  boolean[],  -- whether all runs of the claim are completed with these
  reported  bigint[]    -- jobs with a row in job_run that are completed with these; null for none
);

-- Records completions of runs and returns which count; null if all do. Locks, in this order: the limit lock, the claims, the
-- limits of which the runs hold something.
create function @job_complete(who uuid, done @job_completions) returns boolean[]
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  lock table @limit_lock in row share mode;
  done.lanes := @job_lock_claims(who, done.lanes, done.places, done.claims);
  if exists (select from @job_limit_hold h where h.late) then
    done.flags := @job_flag_late_holds(done.ids, done.runs, done.flags);
  end if;
  if done.flags <> array_fill(0::smallint, array[cardinality(done.flags)]) then
    perform @job_lock_limits(array(
      select distinct h.limit_id from unnest(done.ids, done.runs, done.flags) as u(id, run, flags)
        join @job_limit_hold h on h.job_id = u.id and h.run = u.run where u.flags & 4 <> 0));
  end if;
  return @job_record_completions(who, done);
end
$$;

-- Deletes claims whose runs are all completed, and what was reported of runs while they ran.
create function @job_delete_finished(who uuid, done @job_completions) returns void
language plpgsql volatile
as $$
begin
  -- A rescuer that has one of them deletes it.
  delete from @job_claim c where c.ctid = any (array(
    select d.ctid from unnest(done.claims, done.finished) as u(number, is_over)
      join @job_claim d on d.replica = who and d.number = u.number
     where u.is_over
       for update of d skip locked));
  if done.reported is not null then
    -- A replica that froze reports late, and another may have noted a later run meanwhile.
    delete from @job_run n
     where n.job_id = any (done.reported)
       and exists (select from @job_attempt a where a.job_id = n.job_id and a.run = n.run);
  end if;
end
$$;

-- Locks claims of a replica until the end of the transaction, and returns the lanes of runs, 0 for runs whose claim is gone: their end
-- does not count. Whoever takes a claim from its replica deletes it, and waits for this transaction or passes the claim over.
-- A claim without jobs is held by nothing: all of its runs had ended, and their ends may be deleted.
create function @job_lock_claims(
  who           uuid,
  of_lanes      integer[],
  of_places     integer[],  -- of each run, the place of its claim in what follows; 0 if it is none of the replica's
  of_claims     bigint[]
) returns integer[]
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  held  integer[];
begin
  held := array(
    select u.place::integer from unnest(of_claims) with ordinality as u(number, place)
      join @job_claim c on c.replica = who and c.number = u.number
     where cardinality(c.ids) > 0
       for key share of c);
  if cardinality(held) = cardinality(of_claims) then
    return of_lanes; -- as nearly always
  end if;
  return array(
    select case when u.claim = any (held) then u.lane else 0 end
      from unnest(of_lanes, of_places) with ordinality as u(lane, claim, place) order by u.place);
end
$$;

-- Records completions and returns which count: of runs that had none, or had the same one already.
-- Numbers must come in their order. The caller holds the claims.
create function @job_record_completions(
  who          uuid,
  done         @job_completions,
  out counted  boolean[]  -- null if all count
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at     timestamptz := clock_timestamp();
  fresh  boolean[];
begin
  begin
    if 0 = any (done.lanes) then
      raise unique_violation; -- not one of its claims; counts only if it ended just so
    end if;
    if done.details is null and done.results is null then -- as nearly always, and each column has its price
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome
        from unnest(done.ids, done.started, done.took, done.runs, done.attempts, done.outcomes) as u(id, started, took, run, attempt, outcome);
    else
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail, result)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome, u.detail, u.result
        from unnest(done.ids, done.started, done.took, done.runs, done.attempts, done.outcomes, done.details, done.results)
          as u(id, started, took, run, attempt, outcome, detail, result);
    end if;
  exception when unique_violation then
    -- Some ended before. Rare, so it may cost more.
    with new as (
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail, result)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome, u.detail,
             u.result
        from unnest(done.ids, done.started, done.took, done.runs, done.attempts, done.outcomes, done.details, done.results, done.lanes)
          as u(id, started, took, run, attempt, outcome, detail, result, lane)
       where u.lane <> 0
      on conflict do nothing
      returning job_id, run)
    select array_agg(n.job_id is not null order by u.place) into fresh
      from unnest(done.ids, done.runs) with ordinality as u(id, run, place)
      left join new n on n.job_id = u.id and n.run = u.run;
    select array_agg(u.is_new or (coalesce(a.replica = who and a.outcome = u.outcome, false)
                                  and exists (select from @job j where j.id = u.id)) order by u.place) into counted -- not purged
      from unnest(done.ids, done.runs, done.outcomes, fresh) with ordinality as u(id, run, outcome, is_new, place)
      left join @job_attempt a on a.job_id = u.id and a.run = u.run;
    select array_agg(u.id), array_agg(u.run), array_agg(u.attempt), array_agg(u.lane), array_agg(u.flags), array_agg(u.outcome), array_agg(u.delay)
      into done.ids, done.runs, done.attempts, done.lanes, done.flags, done.outcomes, done.delays
      from (select * from unnest(done.ids, done.runs, done.attempts, done.lanes, done.flags, done.outcomes, done.delays, fresh) with ordinality
              as u(id, run, attempt, lane, flags, outcome, delay, is_new, place)
             where u.is_new order by u.place) as u;
    if done.ids is null then
      return;
    end if;
  end;
  if done.outcomes <> array_fill(0::smallint, array[cardinality(done.outcomes)]) then
    insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
    select at + u.delay * interval '1 microsecond', u.id, u.lane, u.run, case u.outcome when 1 then u.attempt else u.attempt - 1 end,
           u.flags & ~4::smallint, u.outcome = 1
      from unnest(done.ids, done.lanes, done.runs, done.attempts, done.flags, done.outcomes, done.delays)
        as u(id, lane, run, attempt, flags, outcome, delay)
     where u.outcome in (1, 2);
    insert into @job_ready (id, ready_at, lane, run, attempt, flags)
    select u.id, at, -u.lane, u.run, u.attempt - 1, u.flags & ~4::smallint
      from unnest(done.ids, done.lanes, done.runs, done.attempts, done.flags, done.outcomes) as u(id, lane, run, attempt, flags, outcome)
     where u.outcome = 5;
    insert into @job_dead (id, died_at, lane, run)
    select u.id, at, u.lane, u.run
      from unnest(done.ids, done.lanes, done.runs, done.outcomes) as u(id, lane, run, outcome)
     where u.outcome = 3;
    perform @job_restore_expiry(array_agg(u.id))
       from unnest(done.ids, done.flags, done.outcomes) as u(id, flags, outcome)
      where u.flags & 16 <> 0 and u.outcome in (1, 2, 5) having count(*) > 0;
  end if;
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, count(*) filter (where u.outcome in (1, 2)), count(*) filter (where u.outcome = 5), - count(*),
         count(*) filter (where u.outcome = 0), count(*) filter (where u.outcome in (1, 3)), count(*) filter (where u.outcome = 3),
         count(*) filter (where u.outcome in (4, 8))
    from unnest(done.lanes, done.outcomes) as u(lane, outcome) group by u.lane;
  if done.flags <> array_fill(0::smallint, array[cardinality(done.flags)]) then
    perform @job_release_limits(array_agg(u.id), array_agg(u.run))
       from unnest(done.ids, done.runs, done.flags) as u(id, run, flags) where u.flags & 4 <> 0 having count(*) > 0;
    perform @job_finalize(array_agg(u.id), array_agg(u.run), array_agg(u.lane), array_agg((u.flags & ~4)::smallint), array_agg(u.outcome = 0))
       from unnest(done.ids, done.runs, done.lanes, done.flags, done.outcomes) as u(id, run, lane, flags, outcome)
      where u.flags & 3 <> 0 and u.outcome in (0, 3, 4, 8) having count(*) > 0;
    -- Handed back too late. Before the claim of this exchange, where it would take the place of a job that can run.
    perform @job_expire_waiting(array_agg(u.id), at)
       from unnest(done.ids, done.flags, done.outcomes) as u(id, flags, outcome)
      where u.flags & 16 <> 0 and u.outcome = 5 having count(*) > 0;
  end if;
end
$$;

-- Has jobs expire that wait again after a run: job_expire passes over jobs that run and forgets when these expire.
create function @job_restore_expiry(of_ids bigint[]) returns void
language plpgsql volatile
as $$
begin
  insert into @job_expiry (at, id)
  select j.deadline, j.id from unnest(of_ids) as u(id) join @job j on j.id = u.id where j.deadline is not null
   order by 1, 2
  on conflict do nothing;
end
$$;

-- What is to be done when jobs have ended for good: gives back their unique keys and what they held of limits, and sees
-- to the jobs after them. Those that can never run because of that are cancelled, and so have ended, too.
create function @job_finalize(of_ids bigint[], of_runs integer[], of_lanes integer[], of_flags smallint[], of_success boolean[]) returns void
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
  at         timestamptz := clock_timestamp();
  one        record;
  w          record;
  off_ids    bigint[];
  off_flags  smallint[];
begin
  perform @job_release_limits(array_agg(u.id), array_agg(u.run))
     from unnest(of_ids, of_runs, of_flags) as u(id, run, flags) where u.flags & 4 <> 0 having count(*) > 0;
  -- One that did not run may have been the one of its key whose turn it was.
  perform @job_unblock(b.limit_id, b.tenant, b.key)
     from (select distinct c.limit_id, c.tenant, c.key
             from unnest(of_ids, of_flags) as u(id, flags)
             join @job j on j.id = u.id
             join @job_lane n on n.id = j.lane
             join @job_limit l on l.per_key and l.kind = n.kind
             join @job_blocked c on c.limit_id = l.id and c.tenant in ('', n.tenant) and c.key = j.limit_key
            where u.flags & 12 = 8) as b;
  loop
    delete from @job_unique q where q.ctid = any (array(
      select k.ctid
        from unnest(of_ids, of_flags) as u(id, flags)
        join @job j on j.id = u.id
        join @job_lane l on l.id = j.lane
        join @job_unique k on k.hash = @job_key(l.kind, l.tenant, j.unique_key)
       where u.flags & 1 <> 0 and k.job_id = u.id and k.until is null
       order by k.hash
         for update of k));
    off_ids := '{}';
    off_flags := '{}';
    for one in
      select j.next_id as id, count(*)::integer as ends, min(j.id) filter (where not u.success) as culprit
        from unnest(of_ids, of_flags, of_success) as u(id, flags, success)
        join @job j on j.id = u.id
       where u.flags & 2 <> 0 and j.next_id is not null
       group by 1 order by 1
    loop
      update @job_wait v set pending = v.pending - one.ends where v.id = one.id returning v.* into w;
      continue when not found; -- it has ended before
      if w.needs_success and one.culprit is not null then
        delete from @job_wait v where v.id = one.id;
        delete from @job_approval g where g.id = one.id;
        insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)
        values (one.id, at, 0, 1, 1, 9, 'job ' || one.culprit || ' before it did not succeed');
        insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended) values (w.lane, -1, 0, 0, 0, 0, 0, 1);
        off_ids := off_ids || one.id;
        off_flags := off_flags || w.flags;
      elsif w.pending <= 0 then
        delete from @job_wait v where v.id = one.id;
        if w.flags & 64 <> 0 and exists (select from @job_approval g where g.id = w.id) then
          null; -- it still needs approval
        elsif w.due_at > at then
          insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
          values (w.due_at, w.id, w.lane, 0, 0, w.flags, false);
        else
          insert into @job_ready (id, ready_at, lane, run, attempt, flags) values (w.id, at, - w.lane, 0, 0, w.flags);
          insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended) values (w.lane, -1, 1, 0, 0, 0, 0, 0);
        end if;
      end if;
    end loop;
    exit when off_ids = '{}';
    of_ids := off_ids;
    of_flags := off_flags;
    of_success := array_fill(false, array[cardinality(off_ids)]);
  end loop;
end
$$;
