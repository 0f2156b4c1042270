-- Jobs that become due, and jobs that expire.

-- Makes due what is, from one time on and up to another, or now: at most 5,000 jobs, by one statement, skipping those that
-- others see to. Returns how many, and when the next is due that it left; before the end, if that is given.
--
-- Dead rows of earlier jobs are walked over, so it begins late enough. No job is given a due time in the past.
create function @job_promote_due(from_at timestamptz, end_at timestamptz, out moved integer, out next_due timestamptz)
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
  upto  timestamptz := least(clock_timestamp(), end_at);
begin
  with gone as (
    delete from @job_delayed d where d.ctid = any (array(
      select e.ctid from @job_delayed e where e.due_at >= from_at and e.due_at <= upto
       order by e.due_at, e.id limit 5000 for update skip locked))
    returning d.id, d.due_at, d.lane, d.run, d.attempt, d.flags),
  ready as (
    insert into @job_ready (id, ready_at, lane, run, attempt, flags)
    select g.id, g.due_at, - g.lane, g.run, g.attempt, g.flags from gone g),
  delta as (
    insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    select g.lane, - count(*), count(*), 0, 0, 0, 0, 0 from gone g group by g.lane)
  select count(*) into moved from gone;
  perform @job_expire(from_at, upto);
  next_due := least(
    (select d.due_at from @job_delayed d where d.due_at >= from_at and d.due_at < coalesce(end_at, 'infinity')
      order by d.due_at, d.id limit 1),
    (select e.at from @job_expiry e where e.at >= from_at and e.at < coalesce(end_at, 'infinity') order by e.at, e.id limit 1));
end
$$;

-- Ends waiting jobs whose deadline passed, or that nobody approved in time: at most 1,000, of those that expire in that time.
create function @job_expire(from_at timestamptz, up_to timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  ids  bigint[];
begin
  with gone as (
    delete from @job_expiry e where e.ctid = any (array(
      select f.ctid from @job_expiry f where f.at >= from_at and f.at <= up_to order by f.at, f.id limit 1000 for update skip locked))
    returning e.id)
  select array_agg(distinct g.id) into ids from gone g;
  if ids is not null then
    perform @job_expire_waiting(ids, up_to);
  end if;
end
$$;

-- Ends those of these jobs that wait and whose deadline passed, or that nobody approved in time.
create function @job_expire_waiting(of_ids bigint[], up_to timestamptz) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at        timestamptz := clock_timestamp(); -- they end now, also if only what expired some time ago is looked at
  one       record;
  w         record;
  is_ready  integer;
  is_found  boolean;
  e_ids     bigint[] := '{}';
  e_runs    integer[] := '{}';
  e_lanes   integer[] := '{}';
  e_flags   smallint[] := '{}';
begin
  for one in
    select j.id, j.lane, coalesce(j.deadline <= up_to, false) as late, j.approval_millis
      from unnest(of_ids) as u(id) join @job j on j.id = u.id order by j.id
  loop
    is_ready := 0;
    delete from @job_approval g
     where g.id = one.id and (one.late or g.asked_at + one.approval_millis * interval '1 millisecond' <= up_to)
    returning g.run, g.attempt, g.flags into w;
    is_found := found;
    if is_found then
      delete from @job_wait v where v.id = one.id; -- it may have waited for others, too
    else
      continue when not one.late;
      delete from @job_delayed d where d.id = one.id returning d.run, d.attempt, d.flags into w;
      is_found := found;
    end if;
    if not is_found then
      delete from @job_wait v where v.id = one.id returning 0 as run, 0::smallint as attempt, v.flags into w;
      is_found := found;
    end if;
    if not is_found then
      is_ready := 1;
      delete from @job_ready r where r.lane in (one.lane, - one.lane) and r.id = one.id returning r.run, r.attempt, r.flags into w;
      is_found := found;
    end if;
    if not is_found then
      delete from @job_blocked b where b.id = one.id returning b.run, b.attempt, b.flags into w;
      is_found := found;
    end if;
    continue when not is_found; -- it runs, or has ended
    insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)
    values (one.id, at, 0, w.run + 1, w.attempt + 1, 11,
            case when one.late then 'its deadline passed before it ran' else 'not approved in time' end);
    insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (one.lane, is_ready - 1, - is_ready, 0, 0, 0, 0, 1);
    e_ids := e_ids || one.id;
    e_runs := e_runs || (w.run + 1);
    e_lanes := e_lanes || one.lane;
    e_flags := e_flags || w.flags;
  end loop;
  perform @job_finalize(e_ids, e_runs, e_lanes, e_flags, array_fill(false, array[cardinality(e_ids)])) where cardinality(e_ids) > 0;
end
$$;

-- Ends those jobs of a claim whose deadline has passed, and says which are to be run.
create function @job_expire_claimed(of_ids bigint[], of_runs integer[], of_attempts smallint[], of_lanes integer[], of_flags smallint[],
                             at timestamptz, out fits boolean[])
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  e_ids       bigint[];
  e_runs      integer[];
  e_attempts  smallint[];
  e_lanes     integer[];
  e_flags     smallint[];
begin
  select array_agg(coalesce(j.deadline > at, true) order by u.place) into fits
    from unnest(of_ids, of_flags) with ordinality as u(id, flags, place)
    left join @job j on j.id = u.id and u.flags & 16 <> 0;
  select array_agg(u.id), array_agg(u.run), array_agg(u.attempt), array_agg(u.lane), array_agg(u.flags)
    into e_ids, e_runs, e_attempts, e_lanes, e_flags
    from unnest(of_ids, of_runs, of_attempts, of_lanes, of_flags, fits) as u(id, run, attempt, lane, flags, fits)
   where not u.fits;
  if e_ids is null then
    fits := null;
    return;
  end if;
  insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)
  select u.id, at, 0, u.run, u.attempt, 11, 'its deadline passed before it ran'
    from unnest(e_ids, e_runs, e_attempts) as u(id, run, attempt);
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, - count(*), 0, 0, 0, 0, count(*) from unnest(e_lanes) as u(lane) group by u.lane;
  perform @job_finalize(e_ids, e_runs, e_lanes, e_flags, array_fill(false, array[cardinality(e_ids)]));
end
$$;
