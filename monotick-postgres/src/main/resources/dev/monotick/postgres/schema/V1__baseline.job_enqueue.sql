-- Adds jobs, each call in one round trip.
--
-- Functions, because a session keeps their plans even behind a pooler that allows no prepared statements, and
-- because their planner settings are their own: hot tables are empty at one moment and large at the next, so what
-- statistics say of them is always wrong, and the only right way into them is their primary key.
--
-- Order of locks: attempts, then limits, then keys, then what waits; within each by their keys. All at read
-- committed, where each statement sees what was committed before it.
--
-- Before all of these comes a lock of limit_lock, a table without rows. Whoever claims or ends runs shares it, so
-- nobody waits there; whoever sets or removes a limit has it alone, so there is no claim made by somebody who does not
-- know the limit yet, and no end of a run that is just being counted. Rescuers do not take it: they lock the claims that
-- they take away, which whoever sets a limit does too, before it locks limits. Who has it alone waits for rescuers,
-- then, and they for nobody who waits for it. No advisory lock, which portable mode must do without; and in modes that
-- do not conflict with those who only read all tables, as pg_dump does for hours.

-- The number of a job made now, without what tells apart those of one millisecond.
create function @job_id_now() returns bigint
language sql volatile
as $$
  select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1735689600000) << 22
$$;

-- The least number that a job of that time or later can have.
create function @job_first_id(at timestamptz) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select (floor(extract(epoch from at) * 1000)::bigint - 1735689600000) << 22
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
create function @job_enqueue(
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
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select u.lane, 0, count(*), 0, 0, 0, 0, 0 from unnest(of_lanes) as u(lane) group by u.lane;
  return ids;
end
$$;

-- Adds one job as job_enqueue does, and hands it off to a replica with a standing offer for the lane; without one the job
-- is ready. At commit notifies that replica, or all of them.
--
-- Locks the offer and skips offers that are locked. A replica that renews its offer meanwhile waits, and finds the claim
-- then: only one of the two uses the offer. Ignores replicas that have not renewed their offer for a while.
create function @job_enqueue_or_hand_off(
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
  out handed_off boolean
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
  lock table @limit_lock in row share mode; -- before it is read which lanes have no limits
  perform pg_current_xact_id();
  of_id := @job_id_now() | nextval('@job_number');
  at := clock_timestamp();
  insert into @job (id, created_at, timeout_millis, parent_id, lane, version, max_attempts, effect, headers, payload)
  values (of_id, at, of_timeout, of_parent, of_lane, of_version, of_most, of_effect, of_headers::text[], of_payload);
  -- The newest first: the youngest rows are all that is ever read, however many dead ones an old snapshot keeps; and
  -- whoever has not come back to his turn for long may not hear.
  select o.replica, o.number, o.channel into taker
    from @job_offer o
   where o.since > at - interval '15 seconds' and of_lane = any (o.lanes)
     and o.version = (select c.version from @job_rules_version c where c.one)
     and not exists (select from @replica_gone g where g.id = o.replica)
   order by o.since desc limit 1 for update of o skip locked;
  handed_off := found;
  if handed_off then
    delete from @job_offer o where o.replica = taker.replica and o.number = taker.number;
    insert into @job_claim (replica, number, claimed_at, ids, lanes, runs, attempts, flags)
    values (taker.replica, taker.number, at, array[of_id], array[of_lane], array[1], array[1::smallint], array[0::smallint])
    on conflict do nothing;
    handed_off := found; -- not if the turn came late, a second time, and found jobs by itself
  end if;
  if handed_off then
    insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (of_lane, 0, 0, 1, 0, 0, 0, 0);
    -- A hint: the replica reads the claim before anything begins.
    perform pg_notify(taker.channel, taker.replica || ' ' || taker.number);
  else
    insert into @job_ready (id, ready_at, lane, run, attempt, flags) values (of_id, at, of_lane, 0, 0, 0);
    insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
    values (of_lane, 0, 1, 0, 0, 0, 0, 0);
    perform pg_notify(of_channel, of_queue);
  end if;
end
$$;

-- Adds jobs of all kinds, and returns their numbers, or those of the jobs that have their unique keys already.
--
-- Somebody else's transaction that adds the same key is waited for; an existing key is not locked.
create function @job_enqueue_all(
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
           case when d.pending > 0 then 'wait' when d.approval is not null then 'approval' when d.due > at then 'delayed' else 'ready' end as goes,
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
  approval as (
    insert into @job_approval (id, asked_at, due_at, lane, run, attempt, flags)
    select id, at, case when due > at then due end, lane, 0, 0, all_flags from job where approval is not null),
  wait as (
    insert into @job_wait (id, lane, pending, flags, needs_success, due_at)
    select id, lane, pending, all_flags, follow = 1, case when due > at then due end from job where goes = 'wait'),
  expiry as (
    insert into @job_expiry (at, id)
    select greatest(deadline_at, at), id from job where deadline_at is not null
    union
    select at + approval * interval '1 millisecond', id from job where approval is not null)
  insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
  select lane, count(*) filter (where goes <> 'ready'), count(*) filter (where goes = 'ready'), 0, 0, 0, 0, 0 from job group by lane;
end
$$;
