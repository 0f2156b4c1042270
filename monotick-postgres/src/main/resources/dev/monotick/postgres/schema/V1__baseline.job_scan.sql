-- Where claims begin in each lane.

-- Scans for jobs below the positions where claims begin, within a range of ids. Returns a row for each lane that has some.
--
-- Fewer than "most" are moved to the head of the lane, where the next claim finds them: a claim that began at the first of
-- them would have to walk over all dead rows up to its position. If there are more, nothing is moved, and a claim of at most
-- as many can begin at the first one. Skips rows that are locked.
create function @job_scan_gap(
  from_lanes      integer[],
  from_positions  bigint[],
  low             bigint,
  high            bigint,   -- that one is left out
  most            integer
) returns table (
  lane        integer,
  first_seen  bigint,
  first_left  bigint,   -- the first that was not moved; null if none was left
  are_many    boolean
)
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
  one    record;
  moved  bigint[];
begin
  for one in
    select u.lane, f.ids
      from unnest(from_lanes, from_positions) as u(lane, position)
     cross join lateral (
       select array_agg(s.id order by s.id) as ids
         from (select r.id from @job_ready r
                where r.lane = u.lane and r.id >= low and r.id < least(u.position, high)
                order by r.id limit most) as s) as f
     where f.ids is not null
  loop
    lane := one.lane;
    first_seen := one.ids[1];
    first_left := one.ids[1];
    are_many := cardinality(one.ids) >= most;
    if not are_many then
      with gone as (
        delete from @job_ready r where r.ctid = any (array(
          select q.ctid from unnest(one.ids) as u(id) join @job_ready q on q.lane = one.lane and q.id = u.id
             for update of q skip locked))
        returning r.id, r.ready_at, r.run, r.attempt, r.flags),
      head as (
        insert into @job_ready (id, ready_at, lane, run, attempt, flags)
        select g.id, g.ready_at, - one.lane, g.run, g.attempt, g.flags from gone g)
      select array_agg(g.id) into moved from gone g;
      first_left := (select min(l.id) from (select unnest(one.ids) as id except select unnest(moved)) as l);
    end if;
    return next;
  end loop;
end
$$;

-- Returns how far the jobs of each lane were claimed. The first row is of no lane: the timeline, and the number of a job
-- made now.
--
-- After a failover the clock may be behind that of the server before, and jobs get lower numbers: then watermarks
-- and positions are lowered by ten minutes. They are part of what was replicated, as are the claims that they rely on.
create function @job_load_watermarks(now_timeline bigint) returns table (lane integer, watermark bigint, claimed_to bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  update @job_scan s
     set watermark = greatest(s.watermark - (600000::bigint << 22), 0), claimed_to = greatest(s.claimed_to - (600000::bigint << 22), 0),
         timeline = now_timeline
   where s.timeline <> now_timeline;
  return query select null::integer, now_timeline, @job_id_now() union all select s.lane, s.watermark, s.claimed_to from @job_scan s;
end
$$;

-- Saves how far the jobs of lanes were claimed; of each lane at most once a second, whoever does it. Saves nothing that was
-- known of another timeline. Skips rows that another is saving.
create function @job_save_watermarks(
  of_lanes       integer[],
  of_watermarks  bigint[],
  of_claimed_to  bigint[],
  of_timeline    bigint,
  now_timeline   bigint
) returns void
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
  at  timestamptz := clock_timestamp();
begin
  if of_timeline <> now_timeline then
    return;
  end if;
  update @job_scan s
     set watermark = greatest(s.watermark, u.watermark), claimed_to = greatest(s.claimed_to, u.claimed_to), saved_at = at
    from unnest(of_lanes, of_watermarks, of_claimed_to) as u(lane, watermark, claimed_to)
   where s.lane = u.lane and s.ctid = any (array(
     select l.ctid from unnest(of_lanes) as w(lane) join @job_scan l on l.lane = w.lane
      where l.timeline = now_timeline and (l.saved_at <= at - interval '1 second' or l.saved_at > at)
        for update of l skip locked));
  insert into @job_scan (lane, watermark, claimed_to, timeline, saved_at)
  select u.lane, u.watermark, u.claimed_to, now_timeline, at
    from unnest(of_lanes, of_watermarks, of_claimed_to) as u(lane, watermark, claimed_to)
   where not exists (select from @job_scan s where s.lane = u.lane)
  on conflict do nothing;
end
$$;
