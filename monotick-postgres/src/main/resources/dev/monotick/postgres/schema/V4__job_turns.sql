-- What happens to jobs all the time, each in one round trip.
-- min_code_version: 1
--
-- Functions, because a session keeps their plans even behind a pooler that allows no prepared statements, and
-- because their planner settings are their own: hot tables are empty at one moment and large at the next, so what
-- statistics say of them is always wrong, and the only right way into them is their primary key.
--
-- Order of locks: attempts, then limits, then keys, then what waits; within each by their keys. All at read
-- committed, where each statement sees what was committed before it.
--
-- Before all of these comes a lock of job_limit_gate, a table without rows. Whoever claims or ends runs shares it, so
-- nobody waits there; whoever sets or removes a limit has it alone, so there is no claim made by somebody who does not
-- know the limit yet, and no end of a run that is just being counted. Rescuers do not take it: they lock the claims that
-- they take away, which whoever sets a limit does too, before it locks limits. Who has it alone waits for rescuers,
-- then, and they for nobody who waits for it. No advisory lock, which portable mode must do without; and in modes that
-- do not conflict with those who only read all tables, as pg_dump does for hours.

-- To compress the arrays of a claim would cost more than all else about it.
alter table @job_claim
  alter column ids set storage external, alter column lanes set storage external, alter column runs set storage external,
  alter column attempts set storage external, alter column flags set storage external;

-- The number of a job made now, without what tells apart those of one millisecond.
create function @job_id_now() returns bigint
language sql volatile
as $$
  select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1735689600000) << 22
$$;

-- Shares the gate of limits until the end of the transaction; see above.
create function @job_share_limits() returns boolean
language plpgsql volatile
as $$
begin
  lock table @job_limit_gate in row share mode;
  return true;
end
$$;

-- What a unique key is kept under.
create function @job_key(kind text, tenant text, key text) returns uuid
language sql immutable
as $$
  select encode(substr(sha256(convert_to(kind || '/' || tenant || '/' || key, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Adds jobs that are ready at once and have nothing to do with each other, and returns their numbers.
--
-- The transaction gets its number before the jobs get theirs: so whoever sees later that no transaction up to some
-- number is open any more knows that the jobs of that time are all there.
create function @job_add(
  of_lanes     integer[],
  of_versions  integer[],
  of_timeouts  bigint[],
  of_most      smallint[],
  of_effects   smallint[],
  of_flags     smallint[],
  of_payloads  bytea[],
  of_keys      text[],   -- limit keys; null if none has one
  of_headers   text[],   -- each the text of an array; null if none has any
  of_parent    bigint
) returns bigint[]
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
declare
  ids   bigint[];
  base  bigint;
  at    timestamptz;
begin
  perform pg_current_xact_id();
  base := @job_id_now();
  at := clock_timestamp();
  ids := array(select base | nextval('@job_number') from generate_series(1, cardinality(of_lanes)));
  insert into @job (id, created_at, timeout_millis, parent_id, lane, version, max_attempts, effect, limit_key, headers, payload)
  select u.id, at, u.timeout, of_parent, u.lane, u.version, u.most, u.effect, u.key, u.headers::text[], u.payload
    from unnest(ids, of_timeouts, of_lanes, of_versions, of_most, of_effects, of_keys, of_headers, of_payloads)
      as u(id, timeout, lane, version, most, effect, key, headers, payload);
  insert into @job_ready (id, ready_at, lane, run, attempt, flags)
  select u.id, at, u.lane, 0, 0, u.flags from unnest(ids, of_lanes, of_flags) as u(id, lane, flags);
  insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, count(*), 0, 0, 0, 0, 0 from unnest(of_lanes) as u(lane) group by u.lane;
  return ids;
end
$$;

-- Adds one job as job_add does, and gives it to a replica whose turn is open, if there is one that takes jobs of the lane;
-- else it is ready. Tells of it when it commits: the replica, or all of them.
--
-- Locks the open turn, passes over one that another uses. A replica that asks meanwhile waits for this, and finds the
-- claim then: of both one has the turn. A replica that has not been heard of for a while is given nothing.
create function @job_hand(
  of_lane      integer,
  of_version   integer,
  of_timeout   bigint,
  of_most      smallint,
  of_effect    smallint,
  of_payload   bytea,
  of_headers   text,   -- the text of an array
  of_parent    bigint,
  of_channel   text,   -- of all replicas
  of_queue     text,
  out of_id    bigint,
  out handed   boolean
) returns record
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
  at     timestamptz;
  taker  record;
begin
  lock table @job_limit_gate in row share mode; -- before it is read which lanes have no limits
  perform pg_current_xact_id();
  of_id := @job_id_now() | nextval('@job_number');
  at := clock_timestamp();
  insert into @job (id, created_at, timeout_millis, parent_id, lane, version, max_attempts, effect, headers, payload)
  values (of_id, at, of_timeout, of_parent, of_lane, of_version, of_most, of_effect, of_headers::text[], of_payload);
  -- The newest first: the youngest rows are all that is ever read, however many dead ones an old snapshot keeps; and
  -- whoever has not come back to his turn for long may not hear.
  select o.replica, o.number, o.channel into taker
    from @job_open_turn o
   where o.since > at - interval '15 seconds' and of_lane = any (o.lanes)
     and o.version = (select c.version from @job_change c where c.one)
     and not exists (select from @replica_gone g where g.id = o.replica)
   order by o.since desc limit 1 for update of o skip locked;
  handed := found;
  if handed then
    delete from @job_open_turn o where o.replica = taker.replica and o.number = taker.number;
    insert into @job_claim (replica, number, claimed_at, ids, lanes, runs, attempts, flags)
    values (taker.replica, taker.number, at, array[of_id], array[of_lane], array[1], array[1::smallint], array[0::smallint])
    on conflict do nothing;
    handed := found; -- not if the turn came late, a second time, and found jobs by itself
  end if;
  if handed then
    insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (of_lane, 0, 0, 1, 0, 0, 0, 0);
    -- A hint: the replica reads the claim before anything begins.
    perform pg_notify(taker.channel, taker.replica || ' ' || taker.number);
  else
    insert into @job_ready (id, ready_at, lane, run, attempt, flags) values (of_id, at, of_lane, 0, 0, 0);
    insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (of_lane, 0, 1, 0, 0, 0, 0, 0);
    perform pg_notify(of_channel, of_queue);
  end if;
end
$$;

-- Adds jobs of all kinds, and returns their numbers, or those of the jobs that have their unique keys already.
--
-- Somebody else's transaction that adds the same key is waited for; an existing key is not locked.
create function @job_add_all(
  of_lanes      integer[],
  of_versions   integer[],
  of_timeouts   bigint[],
  of_most       smallint[],
  of_effects    smallint[],
  of_flags      smallint[],
  of_payloads   bytea[],
  of_keys       text[],
  of_headers    text[],
  of_parent     bigint,
  of_delays     bigint[],   -- microseconds
  of_starts     bigint[],   -- microseconds since 1970
  of_deadlines  bigint[],   -- microseconds since 1970
  of_approvals  bigint[],   -- milliseconds
  of_uniques    text[],
  of_windows    bigint[],   -- milliseconds
  follow        integer,    -- 0 none, 1 each after the one before, 2 the last after all others
  out ids       bigint[],
  out fresh     boolean[]
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
  base    bigint;
  at      timestamptz;
  one     record;
  before  uuid;
  first   integer;
  found_id bigint;
begin
  perform pg_current_xact_id();
  base := @job_id_now();
  at := clock_timestamp();
  ids := array(select base | nextval('@job_number') from generate_series(1, cardinality(of_lanes)));
  fresh := array_fill(true, array[cardinality(of_lanes)]);
  for one in
    select @job_key(l.kind, l.tenant, u.key) as hash, u.place::integer, at + u.span * interval '1 millisecond' as until
      from unnest(of_lanes, of_uniques, of_windows) with ordinality as u(lane, key, span, place)
      join @job_lane l on l.id = u.lane
     where u.key is not null
     order by 1, 2
  loop
    if one.hash = before then -- twice in one order
      ids[one.place] := ids[first];
      fresh[one.place] := false;
      continue;
    end if;
    before := one.hash;
    first := one.place;
    loop
      insert into @job_unique (hash, job_id, until) values (one.hash, ids[one.place], one.until) on conflict do nothing;
      exit when found;
      update @job_unique q set job_id = ids[one.place], until = one.until where q.hash = one.hash and q.until <= at;
      exit when found;
      select q.job_id into found_id from @job_unique q where q.hash = one.hash;
      if found then
        ids[one.place] := found_id;
        fresh[one.place] := false;
        exit;
      end if; -- else it was released meanwhile
    end loop;
  end loop;
  with draft as materialized (
    select u.*,
           greatest(at + u.delay * interval '1 microsecond', timestamptz 'epoch' + u.start * interval '1 microsecond') as due,
           case follow
             when 1 then lead(u.id) over (order by u.place)
             when 2 then case when u.place < cardinality(ids) and fresh[cardinality(ids)] then ids[cardinality(ids)] end
           end as next_id,
           case follow
             when 1 then least(row_number() over (order by u.place) - 1, 1)
             when 2 then case when u.place = cardinality(ids) then count(*) over () - 1 else 0 end
             else 0
           end as pending
      from unnest(ids, fresh, of_lanes, of_versions, of_timeouts, of_most, of_effects, of_flags, of_payloads, of_keys, of_headers,
                  of_delays, of_starts, of_deadlines, of_approvals, of_uniques, of_windows) with ordinality
        as u(id, is_new, lane, version, timeout, most, effect, flags, payload, key, headers,
             delay, start, deadline, approval, unique_key, span, place)
     where u.is_new),
  job as materialized (
    select d.*, (d.flags | case when d.next_id is null then 0 else 2 end)::smallint as all_flags,
           case when d.pending > 0 then 'wait' when d.approval is not null then 'gate' when d.due > at then 'delayed' else 'ready' end as goes,
           timestamptz 'epoch' + d.deadline * interval '1 microsecond' as deadline_at
      from draft d),
  body as (
    insert into @job (id, created_at, timeout_millis, next_id, parent_id, approval_millis, deadline, lane, version, max_attempts, effect,
                      unique_key, unique_millis, limit_key, headers, payload)
    select id, at, timeout, next_id, of_parent, approval, deadline_at, lane, version, most, effect, unique_key, span, key, headers::text[],
           payload
      from job),
  ready as (
    insert into @job_ready (id, ready_at, lane, run, attempt, flags)
    select id, at, lane, 0, 0, all_flags from job where goes = 'ready'),
  delayed as (
    insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
    select due, id, lane, 0, 0, all_flags, false from job where goes = 'delayed'),
  gate as (
    insert into @job_gate (id, asked_at, due_at, lane, run, attempt, flags)
    select id, at, case when due > at then due end, lane, 0, 0, all_flags from job where approval is not null),
  wait as (
    insert into @job_wait (id, lane, pending, flags, needs_success, due_at)
    select id, lane, pending, all_flags, follow = 1, case when due > at then due end from job where goes = 'wait'),
  expiry as (
    insert into @job_expiry (at, id)
    select greatest(deadline_at, at), id from job where deadline_at is not null
    union
    select at + approval * interval '1 millisecond', id from job where approval is not null)
  insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select lane, count(*) filter (where goes <> 'ready'), count(*) filter (where goes = 'ready'), 0, 0, 0, 0, 0 from job group by lane;
end
$$;

-- Locks claims of a replica until the end of the transaction, and returns the lanes of runs, 0 for runs whose claim is gone: their end
-- does not count. Whoever takes a claim from its replica deletes it, and waits for this transaction or passes the claim over.
-- A claim without jobs is held by nothing: all of its runs had ended, and their ends may be deleted.
create function @job_hold_claims(
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

-- Records the ends of runs and says which count: those that had not ended, and those that ended just so already.
-- Numbers must come in their order. The caller holds the claims.
create function @job_finish(
  who          uuid,
  of_ids       bigint[],
  of_runs      integer[],
  of_attempts  smallint[],
  of_lanes     integer[],  -- 0 for what is not one of its claims
  of_flags     smallint[],
  of_outcomes  smallint[],
  of_started   bigint[],  -- microseconds since 1970
  of_took      bigint[],
  of_details   text[],    -- null if none has any
  of_results   bytea[],   -- null if none has any
  of_delays    bigint[],  -- microseconds until it is tried again; null if none is
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
    if 0 = any (of_lanes) then
      raise unique_violation; -- not one of its claims; counts only if it ended just so
    end if;
    if of_details is null and of_results is null then -- as nearly always, and each column has its price
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome
        from unnest(of_ids, of_started, of_took, of_runs, of_attempts, of_outcomes) as u(id, started, took, run, attempt, outcome);
    else
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail, result)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome, u.detail, u.result
        from unnest(of_ids, of_started, of_took, of_runs, of_attempts, of_outcomes, of_details, of_results)
          as u(id, started, took, run, attempt, outcome, detail, result);
    end if;
  exception when unique_violation then
    -- Some ended before. Rare, so it may cost more.
    with new as (
      insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail, result)
      select u.id, at, timestamptz 'epoch' + u.started * interval '1 microsecond', u.took, who, u.run, u.attempt, u.outcome, u.detail,
             u.result
        from unnest(of_ids, of_started, of_took, of_runs, of_attempts, of_outcomes, of_details, of_results, of_lanes)
          as u(id, started, took, run, attempt, outcome, detail, result, lane)
       where u.lane <> 0
      on conflict do nothing
      returning job_id, run)
    select array_agg(n.job_id is not null order by u.place) into fresh
      from unnest(of_ids, of_runs) with ordinality as u(id, run, place)
      left join new n on n.job_id = u.id and n.run = u.run;
    select array_agg(u.is_new or (coalesce(a.replica = who and a.outcome = u.outcome, false)
                                  and exists (select from @job j where j.id = u.id)) order by u.place) into counted -- not purged
      from unnest(of_ids, of_runs, of_outcomes, fresh) with ordinality as u(id, run, outcome, is_new, place)
      left join @job_attempt a on a.job_id = u.id and a.run = u.run;
    select array_agg(u.id), array_agg(u.run), array_agg(u.attempt), array_agg(u.lane), array_agg(u.flags), array_agg(u.outcome), array_agg(u.delay)
      into of_ids, of_runs, of_attempts, of_lanes, of_flags, of_outcomes, of_delays
      from (select * from unnest(of_ids, of_runs, of_attempts, of_lanes, of_flags, of_outcomes, of_delays, fresh) with ordinality
              as u(id, run, attempt, lane, flags, outcome, delay, is_new, place)
             where u.is_new order by u.place) as u;
    if of_ids is null then
      return;
    end if;
  end;
  if of_outcomes <> array_fill(0::smallint, array[cardinality(of_outcomes)]) then
    insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
    select at + u.delay * interval '1 microsecond', u.id, u.lane, u.run, case u.outcome when 1 then u.attempt else u.attempt - 1 end,
           u.flags & ~4::smallint, u.outcome = 1
      from unnest(of_ids, of_lanes, of_runs, of_attempts, of_flags, of_outcomes, of_delays)
        as u(id, lane, run, attempt, flags, outcome, delay)
     where u.outcome in (1, 2);
    insert into @job_ready (id, ready_at, lane, run, attempt, flags)
    select u.id, at, -u.lane, u.run, u.attempt - 1, u.flags & ~4::smallint
      from unnest(of_ids, of_lanes, of_runs, of_attempts, of_flags, of_outcomes) as u(id, lane, run, attempt, flags, outcome)
     where u.outcome = 5;
    insert into @job_dead (id, died_at, lane, run)
    select u.id, at, u.lane, u.run
      from unnest(of_ids, of_lanes, of_runs, of_outcomes) as u(id, lane, run, outcome)
     where u.outcome = 3;
    perform @job_expire_again(array_agg(u.id))
       from unnest(of_ids, of_flags, of_outcomes) as u(id, flags, outcome)
      where u.flags & 16 <> 0 and u.outcome in (1, 2, 5) having count(*) > 0;
  end if;
  insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, count(*) filter (where u.outcome in (1, 2)), count(*) filter (where u.outcome = 5), - count(*),
         count(*) filter (where u.outcome = 0), count(*) filter (where u.outcome in (1, 3)), count(*) filter (where u.outcome = 3),
         count(*) filter (where u.outcome in (4, 8))
    from unnest(of_lanes, of_outcomes) as u(lane, outcome) group by u.lane;
  if of_flags <> array_fill(0::smallint, array[cardinality(of_flags)]) then
    perform @job_released(array_agg(u.id), array_agg(u.run))
       from unnest(of_ids, of_runs, of_flags) as u(id, run, flags) where u.flags & 4 <> 0 having count(*) > 0;
    perform @job_ended(array_agg(u.id), array_agg(u.run), array_agg(u.lane), array_agg((u.flags & ~4)::smallint), array_agg(u.outcome = 0))
       from unnest(of_ids, of_runs, of_lanes, of_flags, of_outcomes) as u(id, run, lane, flags, outcome)
      where u.flags & 3 <> 0 and u.outcome in (0, 3, 4, 8) having count(*) > 0;
    -- Handed back too late. Before the claim of this turn, where it would take the place of a job that can run.
    perform @job_expire_late(array_agg(u.id), at)
       from unnest(of_ids, of_flags, of_outcomes) as u(id, flags, outcome)
      where u.flags & 16 <> 0 and u.outcome = 5 having count(*) > 0;
  end if;
end
$$;

-- Has jobs expire that wait again after a run: job_expire passes over jobs that run and forgets when these expire.
create function @job_expire_again(of_ids bigint[]) returns void
language plpgsql volatile
as $$
begin
  insert into @job_expiry (at, id)
  select j.deadline, j.id from unnest(of_ids) as u(id) join @job j on j.id = u.id where j.deadline is not null
   order by 1, 2
  on conflict do nothing;
end
$$;

-- Lets as many jobs of a key go on as it has room for.
create function @job_unblock(of_limit integer, of_tenant text, of_key text) returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  room  integer;
begin
  select l.running - coalesce((select o.running from @job_use o
                                where o.limit_id = of_limit and o.tenant = of_tenant and o.key = of_key), 0)
    into room from @job_limit l where l.id = of_limit;
  with freed as (
    delete from @job_blocked b where b.ctid = any (array(
      select c.ctid from @job_blocked c
       where c.limit_id = of_limit and c.tenant = of_tenant and c.key = of_key
       order by c.id limit greatest(room, 0) for update skip locked))
    returning b.id, b.ready_at, b.lane, b.run, b.attempt, b.flags)
  insert into @job_ready (id, ready_at, lane, run, attempt, flags)
  select f.id, f.ready_at, - f.lane, f.run, f.attempt, f.flags from freed f;
end
$$;

-- Gives back what runs held of limits, and lets jobs go on that waited for their key.
create function @job_released(of_ids bigint[], of_runs integer[]) returns void
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
  one  record;
begin
  perform @job_lock_limits(array(
    select distinct h.limit_id from unnest(of_ids, of_runs) as u(id, run) join @job_hold h on h.job_id = u.id and h.run = u.run));
  for one in
    with gone as (
      delete from @job_hold h using unnest(of_ids, of_runs) as u(id, run)
       where h.job_id = u.id and h.run = u.run
      returning h.limit_id, h.tenant, h.key)
    select g.limit_id, g.tenant, g.key, count(*)::integer as runs from gone g group by 1, 2, 3 order by 1, 2, 3
  loop
    update @job_use o set running = greatest(o.running - one.runs, 0)
     where o.limit_id = one.limit_id and o.tenant = one.tenant and o.key = one.key;
    if one.key <> '' then
      delete from @job_use o
       where o.limit_id = one.limit_id and o.tenant = one.tenant and o.key = one.key and o.running = 0;
      perform @job_unblock(one.limit_id, one.tenant, one.key);
    end if;
  end loop;
end
$$;

-- Returns flags of runs with what their replica cannot know: that they hold something of a limit which was set later.
create function @job_late(of_ids bigint[], of_runs integer[], of_flags smallint[]) returns smallint[]
language plpgsql volatile
as $$
begin
  return array(
    select (u.flags | case when exists (select from @job_hold h where h.job_id = u.id and h.run = u.run and h.late) then 4 else 0 end)::smallint
      from unnest(of_ids, of_runs, of_flags) with ordinality as u(id, run, flags, place)
     order by u.place);
end
$$;

-- Records ends as job_finish does, for whoever makes no turn of it.
create function @job_finish_apart(
  who          uuid,
  of_ids       bigint[],
  of_runs      integer[],
  of_attempts  smallint[],
  of_lanes     integer[],
  of_flags     smallint[],
  of_outcomes  smallint[],
  of_started   bigint[],
  of_took      bigint[],
  of_details   text[],
  of_results   bytea[],
  of_delays    bigint[],
  of_places    integer[],
  of_claims    bigint[]
) returns boolean[]
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  lock table @job_limit_gate in row share mode;
  of_lanes := @job_hold_claims(who, of_lanes, of_places, of_claims);
  return @job_finish(who, of_ids, of_runs, of_attempts, of_lanes, @job_late(of_ids, of_runs, of_flags), of_outcomes, of_started,
                     of_took, of_details, of_results, of_delays);
end
$$;

-- Lets one at a time take of limits, or give back. A transaction that needs several asks for all of them at once.
create function @job_lock_limits(of_limits integer[]) returns void
language plpgsql volatile
as $$
begin
  perform 1 from @job_limit l where l.id = any (of_limits) order by l.id for update;
end
$$;

-- Sets a limit, or changes it, and counts the runs under way into it. Those that it counted before it counts no second time.
--
-- Nobody claims or ends meanwhile, see above, but for rescuers; and the claims that those have are waited for. Runs that began
-- before are marked, in their claims for whoever reads these, and in job_hold for the replicas that have them, whose
-- reports do not say that they hold anything. Claims that are over are left alone: whoever deletes them passes over
-- what is locked.
create function @job_set_limit(
  of_kind         text,
  of_tenant       text,
  of_per_key      boolean,
  of_running      integer,
  of_rate_count   integer,
  of_rate_millis  bigint
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
  bound     integer[]; -- lanes
  of_limit  integer;
  old       record;
  at        timestamptz;
begin
  lock table @job_limit_gate in exclusive mode;
  bound := array(
    select l.id from @job_lane l where of_kind in ('', l.kind) and of_tenant in ('', '*', l.tenant));
  if of_running is not null then
    perform from @job_claim c
      where c.lanes && bound
        and exists (select from unnest(c.ids, c.runs) as u(id, run)
                     where not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run))
      order by c.replica, c.number for update of c;
  end if;
  update @job_change set version = version + 1;
  select l.rate_count, l.rate_millis into old
    from @job_limit l where l.kind = of_kind and l.tenant = of_tenant and l.per_key = of_per_key;
  insert into @job_limit (kind, tenant, per_key, running, rate_count, rate_millis)
  values (of_kind, of_tenant, of_per_key, of_running, of_rate_count, of_rate_millis)
  on conflict (kind, tenant, per_key) do update
     set running = excluded.running, rate_count = excluded.rate_count, rate_millis = excluded.rate_millis
  returning id into of_limit;
  if of_rate_count is not null then
    -- What passed counts at the old rate. After none, or if nothing of the old one is in use, a rate begins with all that a
    -- period gives.
    at := clock_timestamp();
    update @job_use o
       set tokens = case when old.rate_count is null or has.tokens >= old.rate_count - 1e-9 then of_rate_count else has.tokens end,
           refilled_at = at
      from (select u.tenant, u.tokens + greatest(extract(epoch from at - u.refilled_at)::float8, 0) * 1000
                                        / old.rate_millis * old.rate_count as tokens
              from @job_use u where u.limit_id = of_limit and u.key = '') as has
     where o.limit_id = of_limit and o.key = '' and o.tenant = has.tenant;
  end if;
  if of_running is null then
    return;
  end if;
  with under_way as materialized (
    select u.id, u.run, case of_tenant when '*' then l.tenant else '' end as tenant, coalesce(j.limit_key, '') as key
      from @job_claim c
     cross join lateral unnest(c.ids, c.runs, c.lanes, c.flags) as u(id, run, lane, flags)
      join @job_lane l on l.id = u.lane
      left join @job j on of_per_key and u.flags & 8 <> 0 and j.id = u.id
     where u.lane = any (bound) and (not of_per_key or j.limit_key is not null)
       and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)),
  held as (
    insert into @job_hold (job_id, run, limit_id, tenant, key, late)
    select w.id, w.run, of_limit, w.tenant, w.key, true from under_way w
    on conflict do nothing
    returning tenant, key)
  insert into @job_use as o (limit_id, tenant, key, running, tokens, refilled_at)
  select of_limit, h.tenant, h.key, count(*), coalesce(of_rate_count, 0), clock_timestamp() from held h group by h.tenant, h.key
  on conflict (limit_id, tenant, key) do update set running = o.running + excluded.running;
  update @job_claim c set flags = @job_late(c.ids, c.runs, c.flags)
   where c.lanes && bound
     and exists (select from unnest(c.ids, c.runs) as u(id, run) join @job_hold h on h.job_id = u.id and h.run = u.run and h.late);
end
$$;

-- Removes a limit and forgets what runs hold of it; says whether there was one.
create function @job_drop_limit(of_kind text, of_tenant text, of_per_key boolean) returns boolean
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
  of_limit  integer;
begin
  lock table @job_limit_gate in exclusive mode;
  update @job_change set version = version + 1;
  delete from @job_limit l where l.kind = of_kind and l.tenant = of_tenant and l.per_key = of_per_key returning l.id into of_limit;
  if of_limit is null then
    return false;
  end if;
  delete from @job_hold h where h.limit_id = of_limit;
  delete from @job_use o where o.limit_id = of_limit;
  return true;
end
$$;

-- What is to be done when jobs have ended for good: gives back their unique keys and what they held of limits, and sees
-- to the jobs after them. Those that can never run because of that are cancelled, and so have ended, too.
create function @job_ended(of_ids bigint[], of_runs integer[], of_lanes integer[], of_flags smallint[], of_success boolean[]) returns void
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
  perform @job_released(array_agg(u.id), array_agg(u.run))
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
        delete from @job_gate g where g.id = one.id;
        insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)
        values (one.id, at, 0, 1, 1, 9, 'job ' || one.culprit || ' before it did not succeed');
        insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended) values (w.lane, -1, 0, 0, 0, 0, 0, 1);
        off_ids := off_ids || one.id;
        off_flags := off_flags || w.flags;
      elsif w.pending <= 0 then
        delete from @job_wait v where v.id = one.id;
        if w.flags & 64 <> 0 and exists (select from @job_gate g where g.id = w.id) then
          null; -- it still needs approval
        elsif w.due_at > at then
          insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
          values (w.due_at, w.id, w.lane, 0, 0, w.flags, false);
        else
          insert into @job_ready (id, ready_at, lane, run, attempt, flags) values (w.id, at, - w.lane, 0, 0, w.flags);
          insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended) values (w.lane, -1, 1, 0, 0, 0, 0, 0);
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

-- Takes jobs of a lane, or of its head, as far as limits allow, and counts them. Jobs whose key is full are put aside.
-- The caller has locked the limits.
create function @job_take_limited(
  of_lane      integer,
  from_lane    integer,    -- the lane, or its head
  from_id      bigint,
  want         integer,
  of_limits    integer[],
  of_tenants   text[],     -- whom each limit counts the lane for
  at           timestamptz,
  out ids      bigint[],
  out runs     integer[],
  out attempts smallint[],
  out flags    smallint[],
  out ready    timestamptz[],
  out last     bigint,     -- the last one looked at
  out again_at timestamptz -- when a rate allows the next one
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  room       integer := want;
  looked     integer := 0;
  per_key    boolean;
  one        record;
  used       record;
  bound      record;
  is_full    boolean;
  has        float8;
  tids       tid[];
  l_ids      bigint[];
  l_runs     integer[];
  l_attempts smallint[];
  l_flags    smallint[];
  l_ready    timestamptz[];
  held       smallint := 0;
begin
  ids := '{}';
  runs := '{}';
  attempts := '{}';
  flags := '{}';
  ready := '{}';
  per_key := exists (select from @job_limit l where l.id = any (of_limits) and l.per_key);
  for one in
    select l.id, l.running, l.rate_count, l.rate_millis, u.tenant
      from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where not l.per_key order by l.id
  loop
    select o.running, o.tokens, o.refilled_at into used
      from @job_use o where o.limit_id = one.id and o.tenant = one.tenant and o.key = '';
    if one.running is not null then
      room := least(room, one.running - coalesce(used.running, 0));
      held := 4;
    end if;
    if one.rate_count is not null then
      has := case when used.tokens is null then one.rate_count
             else least(one.rate_count, used.tokens
                    + greatest(extract(epoch from at - used.refilled_at)::float8, 0) * 1000 / one.rate_millis * one.rate_count) end;
      room := least(room, floor(has + 0.000001)::integer);
      if has < 0.999999 then
        again_at := greatest(again_at, at + (1 - has) * one.rate_millis / one.rate_count * interval '1 millisecond');
      end if;
    end if;
  end loop;
  while room > cardinality(ids) and looked < 5000 loop
    select array_agg(s.ctid), array_agg(s.id), array_agg(s.run + 1), array_agg((s.attempt + 1)::smallint), array_agg(s.flags),
           array_agg(s.ready_at)
      into tids, l_ids, l_runs, l_attempts, l_flags, l_ready
      from (select r.ctid, r.id, r.run, r.attempt, r.flags, r.ready_at from @job_ready r
             where r.lane = from_lane and r.id >= from_id
             order by r.id limit room - cardinality(ids) for update skip locked) as s;
    exit when tids is null;
    delete from @job_ready r where r.ctid = any (tids);
    looked := looked + cardinality(tids);
    last := l_ids[cardinality(l_ids)];
    if not per_key then
      ids := l_ids;
      runs := l_runs;
      attempts := l_attempts;
      flags := array(select (f | held)::smallint from unnest(l_flags) as f);
      ready := l_ready;
      exit;
    end if;
    for one in
      select u.id, u.run, u.attempt, u.flags, u.ready_at, j.limit_key
        from unnest(l_ids, l_runs, l_attempts, l_flags, l_ready) with ordinality as u(id, run, attempt, flags, ready_at, place)
        left join @job j on j.id = u.id and u.flags & 8 <> 0
       order by u.place
    loop
      is_full := false;
      if one.limit_key is not null then
        for bound in
          select l.id, l.running, u.tenant
            from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where l.per_key order by l.id
        loop
          if bound.running <= coalesce((select o.running from @job_use o
                where o.limit_id = bound.id and o.tenant = bound.tenant and o.key = one.limit_key), 0) then
            insert into @job_blocked (limit_id, key, tenant, id, ready_at, lane, run, attempt, flags)
            values (bound.id, one.limit_key, bound.tenant, one.id, one.ready_at, of_lane, one.run - 1, one.attempt - 1, one.flags);
            is_full := true;
            exit;
          end if;
        end loop;
        continue when is_full;
        insert into @job_use as o (limit_id, tenant, key, running)
        select l.id, u.tenant, one.limit_key, 1
          from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where l.per_key order by l.id
        on conflict (limit_id, tenant, key) do update set running = o.running + 1;
        insert into @job_hold (job_id, run, limit_id, tenant, key)
        select one.id, one.run, l.id, u.tenant, one.limit_key
          from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where l.per_key;
        one.flags := one.flags | 4;
      end if;
      ids := ids || one.id;
      runs := runs || one.run;
      attempts := attempts || one.attempt;
      flags := flags || (one.flags | held)::smallint;
      ready := ready || one.ready_at;
    end loop;
  end loop;
  if ids = '{}' then
    return;
  end if;
  for one in
    select l.id, l.running, l.rate_count, l.rate_millis, u.tenant
      from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where not l.per_key order by l.id
  loop
    insert into @job_use as o (limit_id, tenant, key, running, tokens, refilled_at)
    values (one.id, one.tenant, '', case when one.running is null then 0 else cardinality(ids) end,
            coalesce(one.rate_count - cardinality(ids), 0), at)
    on conflict (limit_id, tenant, key) do update
       set running = o.running + excluded.running,
           tokens = case when one.rate_count is null then 0
                    else least(one.rate_count, o.tokens
                           + greatest(extract(epoch from at - o.refilled_at)::float8, 0) * 1000 / one.rate_millis * one.rate_count)
                         - cardinality(ids) end,
           refilled_at = at;
    if one.running is not null then
      insert into @job_hold (job_id, run, limit_id, tenant, key)
      select u.id, u.run, one.id, one.tenant, '' from unnest(ids, runs) as u(id, run);
    end if;
  end loop;
end
$$;

-- Ends those jobs of a claim whose deadline has passed, and says which are to be run.
create function @job_overdue(of_ids bigint[], of_runs integer[], of_attempts smallint[], of_lanes integer[], of_flags smallint[],
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
  insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, - count(*), 0, 0, 0, 0, count(*) from unnest(e_lanes) as u(lane) group by u.lane;
  perform @job_ended(e_ids, e_runs, e_lanes, e_flags, array_fill(false, array[cardinality(e_ids)]));
end
$$;

-- Records what ended, makes due what is, and claims. The first row says how it went, the others are the jobs.
--
-- Locks the rows of job_ready that it takes, skips those that others are taking; waits for whoever gives the replica a job
-- right now. With a number but for no jobs it closes a turn that was open.
create function @job_turn(
  who            uuid,
  of_ids         bigint[],  -- ends of runs, as in job_finish; null for none
  of_runs        integer[],
  of_attempts    smallint[],
  of_lanes       integer[],
  of_flags       smallint[],
  of_outcomes    smallint[],
  of_started     bigint[],
  of_took        bigint[],
  of_details     text[],
  of_results     bytea[],
  of_delays      bigint[],
  of_places      integer[], -- of each run, the place of its claim in what follows
  of_claims      bigint[],  -- claims of these runs, and others that are over
  of_overs       boolean[], -- whether it is over with these
  of_noted       bigint[],  -- jobs that have notes and are over with these
  claim          bigint,    -- number of the claim; 0 for none
  most           integer,   -- how many to claim
  was_open       boolean,   -- whether a turn of the replica may be open
  door           text,      -- channel to tell of what comes later, if nothing is found; null if the turn does not stay open
  known          bigint,    -- version of what is known of lanes; another one claims nothing
  from_lanes     integer[],
  from_hints     bigint[],  -- no job of the lane before that
  from_shares    integer[], -- how many of the lane, unless others have too few
  promote_from   bigint,    -- microseconds since 1970: look for what became due, from that time on; null to not look
  bound_lanes    integer[], -- lanes that have limits, each limit by its own; null for none
  bound_limits   integer[],
  bound_tenants  text[]     -- whom the limit counts the lane for
) returns table (
  id              bigint,
  run             integer,
  attempt         smallint,
  lane            integer,
  flags           smallint,
  ready_micros    bigint,    -- since 1970, as all microseconds are
  version         integer,
  timeout_millis  bigint,
  max_attempts    smallint,
  effect          smallint,
  rare            integer,   -- how many of the four after the payload are there
  payload         bytea,     -- null if it has more than 8 kB: it is read when the job begins
  deadline_micros bigint,
  approval_millis bigint,
  limit_key       text,
  headers         text[],
  counted         boolean[], -- which ends count; null for all
  facts           bigint[],  -- version, first open transaction, this transaction or null if it has no number,
                             -- microseconds now, when the next is due, number of a job made before this transaction got
                             -- its number, when a rate allows more, 1 if the turn stays open, 1 if its number is used,
                             -- 1 if lanes were looked at: not for a replica that is gone, nor for a number that is used
  full_lanes      integer[], -- lanes that had jobs
  full_since      bigint[],  -- since when the first of each waits, microseconds
  took_lanes      integer[], -- lanes that jobs were taken of, but for their heads
  took_last       bigint[]   -- the last one of each
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
  earlier    xid8 := pg_current_xact_id_if_assigned(); -- null, unless somebody made this a part of something larger
  before     bigint;
  now_known  bigint;
  shot       pg_snapshot;
  next_due   timestamptz;
  tids       tid[];
  l_ids      bigint[];
  l_runs     integer[];
  l_attempts smallint[];
  l_flags    smallint[];
  l_ready    timestamptz[];
  c_ids      bigint[] := '{}';
  c_lanes    integer[] := '{}';
  c_runs     integer[] := '{}';
  c_attempts smallint[] := '{}';
  c_flags    smallint[] := '{}';
  c_ready    timestamptz[] := '{}';
  n          integer;
  want       integer;
  got        integer;
  at         timestamptz;
  free_limits integer[];
  taken      record;
  limit_due  timestamptz;
  fits       boolean[];
  lowest     bigint;
  highest    bigint;
  asked      integer[] := from_lanes;
  is_open    boolean := false;
  is_used    boolean := false;
  has_looked boolean := false;
begin
  before := @job_id_now(); -- before this transaction has a number: see its facts
  lock table @job_limit_gate in row share mode;
  if of_ids is not null then
    of_lanes := @job_hold_claims(who, of_lanes, of_places, of_claims);
    if exists (select from @job_hold h where h.late) then
      of_flags := @job_late(of_ids, of_runs, of_flags);
    end if;
    if of_flags <> array_fill(0::smallint, array[cardinality(of_flags)]) then
      perform @job_lock_limits(array(
        select distinct h.limit_id from unnest(of_ids, of_runs, of_flags) as u(id, run, flags)
          join @job_hold h on h.job_id = u.id and h.run = u.run where u.flags & 4 <> 0));
    end if;
    counted := @job_finish(who, of_ids, of_runs, of_attempts, of_lanes, of_flags, of_outcomes, of_started, of_took,
                           of_details, of_results, of_delays);
  end if;
  if of_claims is not null then
    -- A rescuer that has one of them deletes it.
    delete from @job_claim c where c.ctid = any (array(
      select d.ctid from unnest(of_claims, of_overs) as u(number, is_over)
        join @job_claim d on d.replica = who and d.number = u.number
       where u.is_over
         for update of d skip locked));
  end if;
  if of_noted is not null then
    -- Of runs that are over: a replica that froze reports late, and another may have noted a later run meanwhile.
    delete from @job_note n
     where n.job_id = any (of_noted)
       and exists (select from @job_attempt a where a.job_id = n.job_id and a.run = n.run);
  end if;
  if promote_from is not null then
    select d.next_due into next_due from @job_due(timestamptz 'epoch' + promote_from * interval '1 microsecond', null) as d;
  end if;
  select c.version, pg_current_snapshot() into now_known, shot from @job_change c where c.one;
  -- One that is gone claims nothing: this may be a message of long ago.
  if claim > 0 and now_known = known and not exists (select from @replica_gone g where g.id = who) then
    -- Before it is looked whether the number is used: whoever uses it right now is waited for, and what he claimed is found.
    if was_open and door is null then
      delete from @job_open_turn o where o.replica = who and o.number = claim;
    elsif was_open then
      perform from @job_open_turn o where o.replica = who and o.number = claim for update;
    end if;
    select c.ids, c.lanes, c.runs, c.attempts, c.flags into c_ids, c_lanes, c_runs, c_attempts, c_flags
      from @job_claim c where c.replica = who and c.number = claim;
    is_used := found;
    if is_used then -- the turn is repeated: what has not ended
      if was_open then
        delete from @job_open_turn o where o.replica = who and o.number = claim;
      end if;
      select array_agg(u.id), array_agg(u.lane), array_agg(u.run), array_agg(u.attempt), array_agg(u.flags)
        into c_ids, c_lanes, c_runs, c_attempts, c_flags
        from unnest(c_ids, c_lanes, c_runs, c_attempts, c_flags) as u(id, lane, run, attempt, flags)
       where not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run);
    elsif exists (select from @job_claim c where c.replica = who and c.number > claim) then
      is_used := true; -- long ago: the row of the newest claim stays, so that this is known
      c_ids := '{}';
    else
      has_looked := true;
      c_ids := '{}';
      c_lanes := '{}';
      c_runs := '{}';
      c_attempts := '{}';
      c_flags := '{}';
      at := clock_timestamp();
      if bound_limits is not null then
        -- Of a limit that another is taking of, nothing is taken now: nobody waits here.
        free_limits := array(select l.id from @job_limit l where l.id = any (bound_limits) order by l.id for update skip locked);
      end if;
      if cardinality(from_lanes) > 1 then
        select array_agg(u.lane order by u.place), array_agg(u.hint order by u.place), array_agg(u.share order by u.place),
               array_agg((extract(epoch from p.since) * 1000000)::bigint order by u.place)
          into from_lanes, from_hints, from_shares, full_since
          from unnest(from_lanes, from_hints, from_shares) with ordinality as u(lane, hint, share, place)
         cross join lateral (
           select least(
             (select r.ready_at from @job_ready r where r.lane = u.lane and r.id >= u.hint order by r.id limit 1),
             (select r.ready_at from @job_ready r where r.lane = - u.lane order by r.id limit 1)) as since
         ) as p
         where p.since is not null;
        full_lanes := from_lanes;
        if cardinality(from_lanes) = 1 then
          from_shares[1] := most;
        end if;
      end if;
      for pass in 1 .. 2 loop
        for i in 1 .. coalesce(cardinality(from_lanes), 0) loop
          for side in 0 .. 1 loop -- the head of the lane, then the lane
            want := least(most - cardinality(c_ids), case pass when 1 then from_shares[i] else most end);
            exit when want <= 0;
            if from_lanes[i] = any (bound_lanes) then
              exit when not coalesce((select bool_and(u.bound = any (free_limits)) from unnest(bound_lanes, bound_limits) as u(lane, bound)
                                       where u.lane = from_lanes[i]), false);
              select t.* into taken from @job_take_limited(
                from_lanes[i], case side when 0 then - from_lanes[i] else from_lanes[i] end,
                case side when 0 then 0 else from_hints[i] end, want,
                array(select u.bound from unnest(bound_lanes, bound_limits) as u(lane, bound) where u.lane = from_lanes[i]),
                array(select u.tenant from unnest(bound_lanes, bound_tenants) as u(lane, tenant) where u.lane = from_lanes[i]),
                at) as t;
              limit_due := least(limit_due, taken.again_at);
              if side = 1 and taken.last is not null then
                took_lanes := took_lanes || from_lanes[i];
                took_last := took_last || taken.last;
              end if;
              got := cardinality(taken.ids);
              continue when got = 0;
              c_ids := c_ids || taken.ids;
              c_lanes := c_lanes || array_fill(from_lanes[i], array[got]);
              c_runs := c_runs || taken.runs;
              c_attempts := c_attempts || taken.attempts;
              c_flags := c_flags || taken.flags;
              c_ready := c_ready || taken.ready;
              from_shares[i] := from_shares[i] - got;
              continue;
            end if;
            select array_agg(s.ctid), array_agg(s.id), array_agg(s.run + 1), array_agg((s.attempt + 1)::smallint), array_agg(s.flags),
                   array_agg(s.ready_at)
              into tids, l_ids, l_runs, l_attempts, l_flags, l_ready
              from (select r.ctid, r.id, r.run, r.attempt, r.flags, r.ready_at from @job_ready r
                     where r.lane = case side when 0 then - from_lanes[i] else from_lanes[i] end
                       and r.id >= case side when 0 then 0 else from_hints[i] end
                     order by r.id limit want for update skip locked) as s;
            continue when tids is null;
            delete from @job_ready r where r.ctid = any (tids);
            got := cardinality(l_ids);
            c_ids := c_ids || l_ids;
            c_lanes := c_lanes || array_fill(from_lanes[i], array[got]);
            c_runs := c_runs || l_runs;
            c_attempts := c_attempts || l_attempts;
            c_flags := c_flags || l_flags;
            c_ready := c_ready || l_ready;
            from_shares[i] := from_shares[i] - got;
            if side = 1 then
              took_lanes := took_lanes || from_lanes[i];
              took_last := took_last || l_ids[got];
            end if;
          end loop;
        end loop;
        exit when cardinality(c_ids) >= most or cardinality(from_lanes) is null or cardinality(from_lanes) <= 1;
      end loop;
      if cardinality(c_ids) > 0 and 16 = any (select distinct f & 16 from unnest(c_flags) as f) then
        fits := @job_overdue(c_ids, c_runs, c_attempts, c_lanes, c_flags, at);
        if fits is not null then
          select coalesce(array_agg(u.id), '{}'), array_agg(u.lane), array_agg(u.run), array_agg(u.attempt), array_agg(u.flags),
                 array_agg(u.ready_at)
            into c_ids, c_lanes, c_runs, c_attempts, c_flags, c_ready
            from unnest(c_ids, c_lanes, c_runs, c_attempts, c_flags, c_ready, fits) as u(id, lane, run, attempt, flags, ready_at, fits)
           where u.fits;
        end if;
      end if;
      if cardinality(c_ids) > 0 then
        is_used := true;
        if was_open then -- before the claim, as job_hand does: whoever gives something now is waited for
          delete from @job_open_turn o where o.replica = who and o.number = claim;
        end if;
        insert into @job_claim (replica, number, claimed_at, ids, lanes, runs, attempts, flags)
        values (who, claim, at, c_ids, c_lanes, c_runs, c_attempts, c_flags)
        on conflict do nothing;
        if not found then
          raise serialization_failure using message = 'the same turn was made meanwhile'; -- and is found when this is repeated
        end if;
        insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
        select u.lane, 0, - count(*), count(*), 0, 0, 0, 0 from unnest(c_lanes) as u(lane) group by u.lane;
      elsif door is not null then
        is_open := was_open and exists (
          select from @job_open_turn o
           where o.replica = who and o.number = claim and o.version = known and o.since > at - interval '5 seconds');
        if not is_open then
          insert into @job_open_turn (replica, number, version, lanes, channel, since)
          values (who, claim, known,
                  array(select u.lane from unnest(asked) as u(lane) where bound_lanes is null or u.lane <> all (bound_lanes)), door, at)
          on conflict (replica, number) do update
            set version = excluded.version, lanes = excluded.lanes, channel = excluded.channel, since = excluded.since;
          is_open := true;
        end if;
      end if;
    end if;
  end if;
  -- Not the snapshot's xmax: transactions that are open may have greater numbers than that.
  facts := array[now_known, pg_snapshot_xmin(shot)::text::bigint, case when earlier is null then pg_current_xact_id_if_assigned()::text::bigint end,
                 (extract(epoch from clock_timestamp()) * 1000000)::bigint, (extract(epoch from next_due) * 1000000)::bigint, before,
                 (extract(epoch from limit_due) * 1000000)::bigint, is_open::integer, is_used::integer, has_looked::integer];
  return next;
  counted := null;
  facts := null;
  full_lanes := null;
  full_since := null;
  took_lanes := null;
  took_last := null;
  if cardinality(c_ids) > 0 then
    -- Known before the query begins, so that it opens the days of these jobs and no others.
    select min(u.id), max(u.id) into lowest, highest from unnest(c_ids) as u(id);
    return query
      select u.id, u.run, u.attempt, u.lane, u.flags, (extract(epoch from coalesce(u.ready_at, clock_timestamp())) * 1000000)::bigint,
             j.version, j.timeout_millis, j.max_attempts, j.effect, num_nonnulls(j.deadline, j.approval_millis, j.limit_key, j.headers),
             -- The length is known without reading it. Thousands of jobs may be claimed at once, of a megabyte each.
             case when octet_length(j.payload) <= 8192 then j.payload end,
             (extract(epoch from j.deadline) * 1000000)::bigint, j.approval_millis, j.limit_key, j.headers,
             null::boolean[], null::bigint[], null::integer[], null::bigint[], null::integer[], null::bigint[]
        from unnest(c_ids, c_runs, c_attempts, c_lanes, c_flags, c_ready) as u(id, run, attempt, lane, flags, ready_at)
       -- Apart, or else all of the range might be read for each job.
       cross join lateral (select * from @job b where b.id = u.id and b.id >= lowest and b.id <= highest offset 0) as j;
  end if;
end
$$;

-- Makes due what is, from one time on and up to another, or now: at most 5,000 jobs, by one statement, skipping those that
-- others see to. Returns how many, and when the next is due that it left; before the end, if that is given.
--
-- Dead rows of earlier jobs are walked over, so it begins late enough. No job is given a due time in the past.
create function @job_due(from_at timestamptz, end_at timestamptz, out moved integer, out next_due timestamptz)
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
    insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
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
    perform @job_expire_late(ids, up_to);
  end if;
end
$$;

-- Ends those of these jobs that wait and whose deadline passed, or that nobody approved in time.
create function @job_expire_late(of_ids bigint[], up_to timestamptz) returns void
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
    delete from @job_gate g
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
            case when one.late then 'its deadline passed before it ran' else 'nobody decided in time' end);
    insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (one.lane, is_ready - 1, - is_ready, 0, 0, 0, 0, 1);
    e_ids := e_ids || one.id;
    e_runs := e_runs || (w.run + 1);
    e_lanes := e_lanes || one.lane;
    e_flags := e_flags || w.flags;
  end loop;
  perform @job_ended(e_ids, e_runs, e_lanes, e_flags, array_fill(false, array[cardinality(e_ids)])) where cardinality(e_ids) > 0;
end
$$;

-- Returns whether the claims of a replica are left to it: it is a member, or its process joined again just now, and reports what
-- ended. A replica that is not in the list is gone.
create function @job_is_kept(of_replica uuid) returns boolean
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
     where not @job_is_kept(d.replica)
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
                           when s.may_have_begun then ': nobody knows whether its handler had begun'
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
                    left join @job_note n on n.job_id = u.id and n.run = u.run and n.replica = g.replica
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
  perform @job_expire_again(array_agg(u.id))
     from unnest(ids, flags, outcomes) as u(id, flag, outcome) where u.flag & 16 <> 0 and u.outcome = 6 having count(*) > 0;
  delete from @job_note n where n.job_id = any (ids);
  insert into @job_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, count(*) filter (where u.outcome = 6), - count(*), 0, 0,
         count(*) filter (where u.outcome = 7), count(*) filter (where u.outcome = 8)
    from unnest(lanes, outcomes) as u(lane, outcome) group by u.lane;
  perform @job_released(array_agg(u.id), array_agg(u.run))
     from unnest(ids, runs, flags) as u(id, run, flag) where u.flag & 4 <> 0 having count(*) > 0;
  perform @job_ended(array_agg(u.id), array_agg(u.run), array_agg(u.lane), array_agg((u.flag & ~4)::smallint), array_agg(false))
     from unnest(ids, runs, lanes, flags, outcomes) as u(id, run, lane, flag, outcome)
    where u.outcome in (7, 8) and u.flag & 3 <> 0 having count(*) > 0;
  return cardinality(ids);
end
$$;

-- Gives back what a replica claimed without ever hearing of it, and returns how many jobs these are: a turn that got no
-- answer was sent again, and the first one came to be executed long after the second was answered and over.
create function @job_disown(who uuid, before bigint, known bigint[]) returns integer
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
    select distinct h.limit_id from unnest(ids, runs) as u(id, run) join @job_hold h on h.job_id = u.id and h.run = u.run));
  perform @job_finish(who, ids, runs, attempts, lanes, flags, array_fill(5::smallint, array[cardinality(ids)]),
                      array_fill(null::bigint, array[cardinality(ids)]), array_fill(0::bigint, array[cardinality(ids)]), null, null, null);
  return cardinality(ids);
end
$$;

-- Looks for jobs below the positions where claims begin, within a range of numbers. Returns a row for each lane that has some.
--
-- Fewer than "most" are moved to the head of the lane, where the next claim finds them: a claim that began at the first of
-- them would have to walk over all dead rows up to its position. If there are more, nothing is moved, and a claim of at most
-- as many can begin at the first one. Skips rows that are locked.
create function @job_sweep(
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
-- After a failover the clock may be behind that of the server before, and jobs get lower numbers: then watermarks are
-- lowered by ten minutes. They are part of what was replicated, as are the claims that they rely on.
create function @job_load_scans(now_timeline bigint) returns table (lane integer, floor bigint, watermark bigint)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  update @job_scan s
     set floor = greatest(s.floor - (600000::bigint << 22), 0), watermark = greatest(s.watermark - (600000::bigint << 22), 0),
         timeline = now_timeline
   where s.timeline <> now_timeline;
  return query select null::integer, now_timeline, @job_id_now() union all select s.lane, s.floor, s.watermark from @job_scan s;
end
$$;

-- Saves how far the jobs of lanes were claimed; of each lane at most once a second, whoever does it. Saves nothing that was
-- known of another timeline. Skips rows that another is saving.
create function @job_save_scans(
  of_lanes       integer[],
  of_floors      bigint[],
  of_watermarks  bigint[],
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
     set floor = greatest(s.floor, u.floor), watermark = greatest(s.watermark, u.watermark), saved_at = at
    from unnest(of_lanes, of_floors, of_watermarks) as u(lane, floor, watermark)
   where s.lane = u.lane and s.ctid = any (array(
     select l.ctid from unnest(of_lanes) as w(lane) join @job_scan l on l.lane = w.lane
      where l.timeline = now_timeline and (l.saved_at <= at - interval '1 second' or l.saved_at > at)
        for update of l skip locked));
  insert into @job_scan (lane, floor, watermark, timeline, saved_at)
  select u.lane, u.floor, u.watermark, now_timeline, at
    from unnest(of_lanes, of_floors, of_watermarks) as u(lane, floor, watermark)
   where not exists (select from @job_scan s where s.lane = u.lane)
  on conflict do nothing;
end
$$;

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
    insert into @job_note as n (job_id, run, replica, started_at, noted_at)
    select u.id, u.run, who, timestamptz 'epoch' + started * interval '1 microsecond', clock_timestamp()
      from unnest(of_claims, of_ids, of_runs) as u(claim, id, run)
     where exists (select from @job_claim c where c.replica = who and c.number = u.claim and cardinality(c.ids) > 0)
       and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)
    on conflict (job_id) do update
       set run = excluded.run, replica = excluded.replica, started_at = excluded.started_at, noted_at = excluded.noted_at,
           progress = null, doing = null
     where n.run <= excluded.run
    returning n.job_id;
end
$$;

-- Notes what is known of runs, and returns those that have ended, and whether they did so by the word of their replica.
-- Numbers must come in their order.
--
-- A run whose claim is gone has ended, even if no attempt is on record any more because its job was purged.
create function @job_note_runs(
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
  insert into @job_note as n (job_id, run, replica, started_at, noted_at, progress, doing)
  select u.id, u.run, who, timestamptz 'epoch' + u.started * interval '1 microsecond', clock_timestamp(), u.progress, u.doing
    from unnest(of_ids, of_runs, of_started, of_progress, of_doing, of_claims) as u(id, run, started, progress, doing, claim)
   where exists (select from @job_claim c where c.replica = who and c.number = u.claim)
     and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run)
  on conflict (job_id) do update
     set run = excluded.run, replica = excluded.replica, started_at = excluded.started_at, noted_at = excluded.noted_at,
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
