-- Claims of ready jobs.

-- Which jobs to claim. A lane has positions and shares at the same place.
create type @job_claim_request as (
  number         bigint,    -- number of the claim; 0 for none
  most           integer,   -- how many to claim; 0 with a number withdraws the offer of that number
  rules_version  bigint,    -- job_rules_version that the replica has loaded; if it is outdated, nothing is claimed
  lanes          integer[],
  positions      bigint[],  -- no job of the lane before that
  shares         integer[], -- how many of the lane, unless others have too few
  bound_lanes    integer[], -- lanes that have limits, each limit by its own; null for none
  bound_limits   integer[],
  bound_tenants  text[]     -- whom the limit counts the lane for
);

-- Finds what was claimed under a number: the runs without a completion. The row of the newest claim stays, so a number
-- below it is used as well.
create function @job_find_claim(
  who            uuid,
  claim          bigint,
  out is_used    boolean,
  out c_ids      bigint[],
  out c_lanes    integer[],
  out c_runs     integer[],
  out c_attempts smallint[],
  out c_flags    smallint[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  -- First, because each statement sees what was committed before it: a claim that commits between the two is then found by the
  -- second one, or it is refused to this one as a duplicate. The other way round it would count as used and have no jobs.
  is_used := exists (select from @job_claim c where c.replica = who and c.number >= claim);
  select array_agg(u.id), array_agg(u.lane), array_agg(u.run), array_agg(u.attempt), array_agg(u.flags)
    into c_ids, c_lanes, c_runs, c_attempts, c_flags
    from @job_claim c, unnest(c.ids, c.lanes, c.runs, c.attempts, c.flags) as u(id, lane, run, attempt, flags)
   where c.replica = who and c.number = claim
     and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run);
end
$$;

-- Returns the lanes that have jobs, with the time since when the first of each waits.
create function @job_lanes_with_jobs(
  inout from_lanes     integer[],
  inout from_positions bigint[],
  inout from_shares    integer[],
  out full_since       bigint[]   -- microseconds
)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  select array_agg(u.lane order by u.place), array_agg(u.position order by u.place), array_agg(u.share order by u.place),
         array_agg((extract(epoch from p.since) * 1000000)::bigint order by u.place)
    into from_lanes, from_positions, from_shares, full_since
    from unnest(from_lanes, from_positions, from_shares) with ordinality as u(lane, position, share, place)
   cross join lateral (
     select least(
       (select r.ready_at from @job_ready r where r.lane = u.lane and r.id >= u.position order by r.id limit 1),
       (select r.ready_at from @job_ready r where r.lane = - u.lane order by r.id limit 1)) as since
   ) as p
   where p.since is not null;
end
$$;

-- Takes jobs of a lane without limits, or of its head. Skips rows that are locked.
create function @job_take_ready(
  from_lane    integer,
  from_id      bigint,
  want         integer,
  out ids      bigint[],
  out runs     integer[],
  out attempts smallint[],
  out flags    smallint[],
  out ready    timestamptz[],
  out last     bigint,     -- the last one taken
  out again_at timestamptz -- never
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  tids tid[];
begin
  select array_agg(s.ctid), array_agg(s.id), array_agg(s.run + 1), array_agg((s.attempt + 1)::smallint), array_agg(s.flags),
         array_agg(s.ready_at)
    into tids, ids, runs, attempts, flags, ready
    from (select r.ctid, r.id, r.run, r.attempt, r.flags, r.ready_at from @job_ready r
           where r.lane = from_lane and r.id >= from_id
           order by r.id limit want for update skip locked) as s;
  if tids is not null then
    delete from @job_ready r where r.ctid = any (tids);
    last := ids[cardinality(ids)];
  end if;
end
$$;

-- Takes jobs of lanes, each up to its share, and then of those that have more until there are enough. Jobs whose
-- deadline has passed are expired instead.
create function @job_take_lanes(
  request        @job_claim_request,
  at             timestamptz,
  out c_ids      bigint[],
  out c_lanes    integer[],
  out c_runs     integer[],
  out c_attempts smallint[],
  out c_flags    smallint[],
  out c_ready    timestamptz[],
  out full_lanes integer[],    -- lanes that had jobs; null for a single lane
  out full_since bigint[],
  out took_lanes integer[],    -- lanes that jobs were taken of, but for their heads
  out took_last  bigint[],     -- the last one of each
  out limit_due  timestamptz   -- when a rate allows more
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  lanes       integer[] := request.lanes;
  positions   bigint[] := request.positions;
  shares      integer[] := request.shares;
  most        integer := request.most;
  bound       integer[] := request.bound_lanes;
  free_limits integer[];
  taken       record;
  want        integer;
  got         integer;
  fits        boolean[];
begin
  c_ids := '{}';
  c_lanes := '{}';
  c_runs := '{}';
  c_attempts := '{}';
  c_flags := '{}';
  c_ready := '{}';
  if bound is not null then
    -- Of a limit that another is taking of, nothing is taken now: nobody waits here.
    free_limits := array(
      select l.id from @job_limit l where l.id = any (request.bound_limits) order by l.id for update skip locked);
  end if;
  if cardinality(lanes) > 1 then
    select f.* into lanes, positions, shares, full_since from @job_lanes_with_jobs(lanes, positions, shares) as f;
    full_lanes := lanes;
    if cardinality(lanes) = 1 then
      shares[1] := most;
    end if;
  end if;
  for pass in 1 .. 2 loop
    for i in 1 .. coalesce(cardinality(lanes), 0) loop
      for side in 0 .. 1 loop -- the head of the lane, then the lane
        want := least(most - cardinality(c_ids), case pass when 1 then shares[i] else most end);
        exit when want <= 0;
        if lanes[i] = any (bound) then
          exit when not coalesce((select bool_and(u.id = any (free_limits)) from unnest(bound, request.bound_limits) as u(lane, id)
                                   where u.lane = lanes[i]), false);
          select t.* into taken from @job_claim_limited(
            lanes[i], case side when 0 then - lanes[i] else lanes[i] end, case side when 0 then 0 else positions[i] end, want,
            array(select u.id from unnest(bound, request.bound_limits) as u(lane, id) where u.lane = lanes[i]),
            array(select u.tenant from unnest(bound, request.bound_tenants) as u(lane, tenant) where u.lane = lanes[i]),
            at) as t;
          limit_due := least(limit_due, taken.again_at);
        else
          select t.* into taken from @job_take_ready(
            case side when 0 then - lanes[i] else lanes[i] end, case side when 0 then 0 else positions[i] end, want) as t;
        end if;
        if side = 1 and taken.last is not null then
          took_lanes := took_lanes || lanes[i];
          took_last := took_last || taken.last;
        end if;
        got := coalesce(cardinality(taken.ids), 0);
        continue when got = 0;
        c_ids := c_ids || taken.ids;
        c_lanes := c_lanes || array_fill(lanes[i], array[got]);
        c_runs := c_runs || taken.runs;
        c_attempts := c_attempts || taken.attempts;
        c_flags := c_flags || taken.flags;
        c_ready := c_ready || taken.ready;
        shares[i] := shares[i] - got;
      end loop;
    end loop;
    exit when cardinality(c_ids) >= most or cardinality(lanes) is null or cardinality(lanes) <= 1;
  end loop;
  if cardinality(c_ids) > 0 and 16 = any (select distinct f & 16 from unnest(c_flags) as f) then
    fits := @job_expire_claimed(c_ids, c_runs, c_attempts, c_lanes, c_flags, at);
    if fits is not null then
      select coalesce(array_agg(u.id), '{}'), array_agg(u.lane), array_agg(u.run), array_agg(u.attempt), array_agg(u.flags),
             array_agg(u.ready_at)
        into c_ids, c_lanes, c_runs, c_attempts, c_flags, c_ready
        from unnest(c_ids, c_lanes, c_runs, c_attempts, c_flags, c_ready, fits) as u(id, lane, run, attempt, flags, ready_at, fits)
       where u.fits;
    end if;
  end if;
end
$$;

-- Writes a claim down, in place of the offer under its number. Fails if the number was used concurrently; what was
-- claimed under it then is found when the exchange is repeated.
create function @job_write_claim(
  who         uuid,
  claim       bigint,
  had_offer   boolean,
  of_ids      bigint[],
  of_lanes    integer[],
  of_runs     integer[],
  of_attempts smallint[],
  of_flags    smallint[],
  at          timestamptz
) returns void
language plpgsql volatile
as $$
begin
  if had_offer then -- before the claim, as job_enqueue_or_hand_off does: whoever gives something now is waited for
    delete from @job_offer o where o.replica = who and o.number = claim;
  end if;
  insert into @job_claim (replica, number, claimed_at, ids, lanes, runs, attempts, flags)
  values (who, claim, at, of_ids, of_lanes, of_runs, of_attempts, of_flags)
  on conflict do nothing;
  if not found then
    raise serialization_failure using message = 'the same exchange ran concurrently';
  end if;
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, - count(*), count(*), 0, 0, 0, 0 from unnest(of_lanes) as u(lane) group by u.lane;
end
$$;

-- Leaves an offer under a number, unless the present one is young and of the same rules. Lanes with limits are not offered.
create function @job_make_offer(
  who           uuid,
  request       @job_claim_request,
  offer_channel text,
  had_offer     boolean,
  at            timestamptz
) returns void
language plpgsql volatile
as $$
begin
  if had_offer and exists (
    select from @job_offer o
     where o.replica = who and o.number = request.number and o.version = request.rules_version
       and o.channel = offer_channel and o.since > at - interval '5 seconds') then
    return;
  end if;
  insert into @job_offer (replica, number, version, lanes, channel, since)
  values (who, request.number, request.rules_version,
          array(select u.lane from unnest(request.lanes) as u(lane)
                 where request.bound_lanes is null or u.lane <> all (request.bound_lanes)), offer_channel, at)
  on conflict (replica, number) do update
    set version = excluded.version, lanes = excluded.lanes, channel = excluded.channel, since = excluded.since;
end
$$;

-- Returns the jobs of runs, as a replica needs them.
create function @job_read_runs(
  of_ids      bigint[],
  of_runs     integer[],
  of_attempts smallint[],
  of_lanes    integer[],
  of_flags    smallint[],
  of_ready    timestamptz[]
) returns table (
  id              bigint,
  run             integer,
  attempt         smallint,
  lane            integer,
  flags           smallint,
  ready_micros    bigint,
  version         integer,
  timeout_millis  bigint,
  max_attempts    smallint,
  effect          smallint,
  rare            integer,
  payload         bytea,
  deadline_micros bigint,
  approval_millis bigint,
  limit_key       text,
  headers         text[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  lowest  bigint;
  highest bigint;
begin
  -- Known before the query begins, so that it opens the days of these jobs and no others.
  select min(u.id), max(u.id) into lowest, highest from unnest(of_ids) as u(id);
  return query
    select u.id, u.run, u.attempt, u.lane, u.flags, (extract(epoch from coalesce(u.ready_at, clock_timestamp())) * 1000000)::bigint,
           j.version, j.timeout_millis, j.max_attempts, j.effect, num_nonnulls(j.deadline, j.approval_millis, j.limit_key, j.headers),
           -- The length is known without reading it. Thousands of jobs may be claimed at once, of a megabyte each.
           case when octet_length(j.payload) <= 8192 then j.payload end,
           (extract(epoch from j.deadline) * 1000000)::bigint, j.approval_millis, j.limit_key, j.headers
      from unnest(of_ids, of_runs, of_attempts, of_lanes, of_flags, of_ready) as u(id, run, attempt, lane, flags, ready_at)
     -- Apart, or else all of the range might be read for each job.
     cross join lateral (select * from @job b where b.id = u.id and b.id >= lowest and b.id <= highest offset 0) as j;
end
$$;
