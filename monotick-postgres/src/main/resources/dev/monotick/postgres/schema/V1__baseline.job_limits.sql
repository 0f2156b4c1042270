-- Limits: setting them, and what runs hold of them.

-- Shares the gate of limits until the end of the transaction; see above.
create function @job_share_limit_lock() returns boolean
language plpgsql volatile
as $$
begin
  lock table @limit_lock in row share mode;
  return true;
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
-- before are marked, in their claims for whoever reads these, and in job_limit_hold for the replicas that have them, whose
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
  lock table @limit_lock in exclusive mode;
  bound := array(
    select l.id from @job_lane l where of_kind in ('', l.kind) and of_tenant in ('', '*', l.tenant));
  if of_running is not null then
    perform from @job_claim c
      where c.lanes && bound
        and exists (select from unnest(c.ids, c.runs) as u(id, run)
                     where not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run))
      order by c.replica, c.number for update of c;
  end if;
  update @job_rules_version set version = version + 1;
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
    update @job_limit_use o
       set tokens = case when old.rate_count is null or has.tokens >= old.rate_count - 1e-9 then of_rate_count else has.tokens end,
           refilled_at = at
      from (select u.tenant, u.tokens + greatest(extract(epoch from at - u.refilled_at)::float8, 0) * 1000
                                        / old.rate_millis * old.rate_count as tokens
              from @job_limit_use u where u.limit_id = of_limit and u.key = '') as has
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
    insert into @job_limit_hold (job_id, run, limit_id, tenant, key, late)
    select w.id, w.run, of_limit, w.tenant, w.key, true from under_way w
    on conflict do nothing
    returning tenant, key)
  insert into @job_limit_use as o (limit_id, tenant, key, running, tokens, refilled_at)
  select of_limit, h.tenant, h.key, count(*), coalesce(of_rate_count, 0), clock_timestamp() from held h group by h.tenant, h.key
  on conflict (limit_id, tenant, key) do update set running = o.running + excluded.running;
  update @job_claim c set flags = @job_flag_late_holds(c.ids, c.runs, c.flags)
   where c.lanes && bound
     and exists (select from unnest(c.ids, c.runs) as u(id, run) join @job_limit_hold h on h.job_id = u.id and h.run = u.run and h.late);
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
  lock table @limit_lock in exclusive mode;
  update @job_rules_version set version = version + 1;
  delete from @job_limit l where l.kind = of_kind and l.tenant = of_tenant and l.per_key = of_per_key returning l.id into of_limit;
  if of_limit is null then
    return false;
  end if;
  delete from @job_limit_hold h where h.limit_id = of_limit;
  delete from @job_limit_use o where o.limit_id = of_limit;
  return true;
end
$$;

-- Returns flags of runs with what their replica cannot know: that they hold something of a limit which was set later.
create function @job_flag_late_holds(of_ids bigint[], of_runs integer[], of_flags smallint[]) returns smallint[]
language plpgsql volatile
as $$
begin
  return array(
    select (u.flags | case when exists (select from @job_limit_hold h where h.job_id = u.id and h.run = u.run and h.late) then 4 else 0 end)::smallint
      from unnest(of_ids, of_runs, of_flags) with ordinality as u(id, run, flags, place)
     order by u.place);
end
$$;

-- Takes jobs of a lane, or of its head, as far as limits allow, and counts them. Jobs whose key is full are put aside.
-- The caller has locked the limits.
create function @job_claim_limited(
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
  out last     bigint,     -- the last one scanned
  out again_at timestamptz -- when a rate allows the next one
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  room       integer := want;
  scanned     integer := 0;
  per_key    boolean;
  one        record;
  used       record;
  bound      record;
  is_full    boolean;
  has        float8;
  l_ids      bigint[];
  l_runs     integer[];
  l_attempts smallint[];
  l_flags    smallint[];
  l_ready    timestamptz[];
  l_last     bigint;
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
      from @job_limit_use o where o.limit_id = one.id and o.tenant = one.tenant and o.key = '';
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
  while room > cardinality(ids) and scanned < 5000 loop
    select t.ids, t.runs, t.attempts, t.flags, t.ready, t.last into l_ids, l_runs, l_attempts, l_flags, l_ready, l_last
      from @job_take_ready(from_lane, from_id, room - cardinality(ids)) as t;
    exit when l_ids is null;
    scanned := scanned + cardinality(l_ids);
    last := l_last;
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
          if bound.running <= coalesce((select o.running from @job_limit_use o
                where o.limit_id = bound.id and o.tenant = bound.tenant and o.key = one.limit_key), 0) then
            insert into @job_blocked (limit_id, key, tenant, id, ready_at, lane, run, attempt, flags)
            values (bound.id, one.limit_key, bound.tenant, one.id, one.ready_at, of_lane, one.run - 1, one.attempt - 1, one.flags);
            is_full := true;
            exit;
          end if;
        end loop;
        continue when is_full;
        insert into @job_limit_use as o (limit_id, tenant, key, running)
        select l.id, u.tenant, one.limit_key, 1
          from unnest(of_limits, of_tenants) as u(id, tenant) join @job_limit l on l.id = u.id where l.per_key order by l.id
        on conflict (limit_id, tenant, key) do update set running = o.running + 1;
        insert into @job_limit_hold (job_id, run, limit_id, tenant, key)
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
    insert into @job_limit_use as o (limit_id, tenant, key, running, tokens, refilled_at)
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
      insert into @job_limit_hold (job_id, run, limit_id, tenant, key)
      select u.id, u.run, one.id, one.tenant, '' from unnest(ids, runs) as u(id, run);
    end if;
  end loop;
end
$$;

-- Gives back what runs held of limits, and lets jobs go on that waited for their key.
create function @job_release_limits(of_ids bigint[], of_runs integer[]) returns void
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
    select distinct h.limit_id from unnest(of_ids, of_runs) as u(id, run) join @job_limit_hold h on h.job_id = u.id and h.run = u.run));
  for one in
    with gone as (
      delete from @job_limit_hold h using unnest(of_ids, of_runs) as u(id, run)
       where h.job_id = u.id and h.run = u.run
      returning h.limit_id, h.tenant, h.key)
    select g.limit_id, g.tenant, g.key, count(*)::integer as runs from gone g group by 1, 2, 3 order by 1, 2, 3
  loop
    update @job_limit_use o set running = greatest(o.running - one.runs, 0)
     where o.limit_id = one.limit_id and o.tenant = one.tenant and o.key = one.key;
    if one.key <> '' then
      delete from @job_limit_use o
       where o.limit_id = one.limit_id and o.tenant = one.tenant and o.key = one.key and o.running = 0;
      perform @job_unblock(one.limit_id, one.tenant, one.key);
    end if;
  end loop;
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
  select l.running - coalesce((select o.running from @job_limit_use o
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
