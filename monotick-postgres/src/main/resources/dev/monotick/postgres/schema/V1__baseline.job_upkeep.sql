-- Partitions of jobs by day, and the deletion of old jobs.

-- Those jobs from low, below high, that are anywhere, or may be: what must not be forgotten.
create function @job_live_ids(low bigint, high bigint) returns setof bigint
language sql stable
set search_path = pg_catalog, pg_temp
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select r.id
    from @job_lane l
   cross join lateral (
     select id from @job_ready where lane = l.id and id >= low and id < high
     union all
     select id from @job_ready where lane = - l.id and id >= low and id < high) r
  union all select id from @job_delayed where id >= low and id < high
  union all select id from @job_approval where id >= low and id < high
  union all select id from @job_wait where id >= low and id < high
  union all select id from @job_blocked where id >= low and id < high
  union all select id from @job_dead where id >= low and id < high
  union all select u.id from @job_claim c cross join lateral unnest(c.ids) as u(id) where u.id >= low and u.id < high
  union all select job_id from @job_unique where job_id >= low and job_id < high and until > now()
$$;
revoke all on function @job_live_ids(bigint, bigint) from public;

-- Forgets those of these jobs that are nowhere, and whose runs all ended before that time. Returns how many.
--
-- Whoever brings a job back locks its row first, as this does: of both, one finds it as it was.
create function @job_delete_ended(ids bigint[], ended_before timestamptz) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  low   bigint;
  high  bigint;
begin
  ids := array(select j.id from @job j join unnest(ids) as u(id) on j.id = u.id order by j.id for update of j skip locked);
  if cardinality(ids) = 0 then
    return 0;
  end if;
  low := ids[1];
  high := ids[cardinality(ids)] + 1;
  ids := array(
    select unnest(ids)
    except select @job_live_ids(low, high)
    except select a.job_id from unnest(ids) as u(id) join @job_attempt a on a.job_id = u.id where a.ended_at >= ended_before);
  delete from @job_attempt a using unnest(ids) as u(id) where a.job_id = u.id;
  delete from @job_log a using unnest(ids) as u(id) where a.job_id = u.id;
  delete from @job_run a using unnest(ids) as u(id) where a.job_id = u.id;
  delete from @job a using unnest(ids) as u(id) where a.id = u.id;
  return cardinality(ids);
end
$$;
revoke all on function @job_delete_ended(bigint[], timestamptz) from public;

-- Does a bounded piece of the upkeep of jobs and says what it did; call it again while unfinished is true.
--
-- As maintain: runs with the rights of its owner, time is the server's, days are UTC days, of many callers one works.
--
-- Locks. One call either creates partitions, or drops some, or deletes rows, and the first two for one of the three
-- tables: so it never waits for one table while it keeps others from another. Attaching a partition locks the
-- partition for all others, dropping one locks the whole table, both for a moment; they give up after lock_timeout.
--
-- A day is dropped from job_attempt first and from job last. Its jobs that are alive, or whose runs ended lately, move
-- to the partition for all others, in the same transaction; if they are many, the day is kept.
create function @maintain_jobs(
  retention          interval,             -- at least a day
  ahead              integer default 3,    -- days after today that get a partition
  batch              integer default 5000, -- rows deleted per table and call
  out worked         boolean,              -- false if another caller was at it
  out created        text[],               -- partitions
  out dropped        text[],
  out kept           text[],               -- old, but with many jobs that are alive or ended lately
  out postponed      text[],               -- in use; next time
  out jobs_moved     bigint,               -- from days that were dropped
  out jobs_deleted   bigint,
  out rows_deleted   bigint,               -- of unique keys, expiries, notes and uses that mean nothing any more
  out unfinished     boolean
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO'
set lock_timeout = '500ms'
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  most_drops  constant integer := 5;
  cutoff      timestamptz;
  today       date := (now() at time zone 'UTC')::date;
  day         date;
  parent      text;
  key         text;
  columns     text;
  part        record;
  rule        record;
  name        text;
  low         bigint;
  high        bigint;
  last        bigint;
  seen        bigint;
  moved       bigint;
  in_use      boolean;
  ids         bigint[];
begin
  if retention is null or retention < interval '1 day' or ahead is null or ahead not between 1 and 366
      or batch is null or batch not between 1 and 100000 then
    raise exception 'maintain_jobs takes a retention of at least 1 day, 1 to 366 days ahead and batches of 1 to 100000, but got %, %, %',
      retention, ahead, batch using errcode = 'invalid_parameter_value';
  end if;
  cutoff := greatest(now() - retention, timestamptz '2025-01-01 00:00Z');
  created := '{}';
  dropped := '{}';
  kept := '{}';
  postponed := '{}';
  jobs_moved := 0;
  jobs_deleted := 0;
  rows_deleted := 0;
  unfinished := false;
  worked := pg_try_advisory_xact_lock(hashtextextended('monotick maintain jobs @schema', 0));
  if not worked then
    return;
  end if;

  foreach parent in array array['job', 'job_attempt', 'job_log'] loop
    key := case parent when 'job' then 'id' else 'job_id' end;
    for offset_days in 0 .. ahead loop
      day := today + offset_days;
      name := parent || to_char(day, '"_"YYYYMMDD');
      low := @job_first_id(day::timestamptz);
      high := @job_first_id((day + 1)::timestamptz);
      continue when to_regclass(format('@schema.%I', name)) is not null;
      -- Rows that are there already keep the day among all others.
      execute format('select exists (select from @schema.%I where %I >= $1 and %2$I < $2)', parent || '_other', key)
        using low, high into in_use;
      continue when in_use;
      begin
        -- Dropped as a whole, so nobody needs to vacuum it for what is inserted.
        execute format('create table @schema.%I (like @schema.%I including defaults including constraints)'
                       ' with (autovacuum_vacuum_insert_threshold = -1)', name, parent);
        execute format('alter table @schema.%I attach partition @schema.%I for values from (%L) to (%L)', parent, name, low, high);
        created := created || name;
      exception
        when lock_not_available or deadlock_detected then
          postponed := postponed || name;
          exit; -- each further try would make others wait for as long again
        when check_violation or invalid_object_definition then
          null; -- rows came meanwhile, or a partition of another width covers the day
      end;
    end loop;
    if created <> '{}' then
      unfinished := true;
      return;
    end if;
  end loop;

  foreach parent in array array['job_attempt', 'job_log', 'job'] loop
    key := case parent when 'job' then 'id' else 'job_id' end;
    select string_agg(quote_ident(attname), ', ' order by attnum) into columns
      from pg_attribute where attrelid = format('@schema.%I', parent)::regclass and attnum > 0 and not attisdropped;
    for part in
      select c.relname::text as name, c.low, c.high
        from (select c.relname,
                     substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \(''?([0-9]+)''?\)')::bigint as low,
                     substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''?([0-9]+)''?\)')::bigint as high
                from pg_inherits i
                join pg_class c on c.oid = i.inhrelid
               where i.inhparent = format('@schema.%I', parent)::regclass and c.relnamespace = '@schema'::regnamespace) c
       where c.high <= @job_first_id(cutoff)
       order by c.low
    loop
      if cardinality(dropped) = most_drops then
        exit;
      end if;
      -- This may take a while, so it comes before the lock.
      ids := array(
        select @job_live_ids(part.low, part.high)
        union select job_id from @job_attempt where job_id >= part.low and job_id < part.high and ended_at >= cutoff);
      if cardinality(ids) > 4 * batch then
        kept := kept || part.name;
        continue;
      end if;
      begin
        execute format('lock table @schema.%I in access exclusive mode', parent);
        -- Somebody may have brought old jobs back since we looked.
        ids := array(select unnest(ids) union select @job_live_ids(part.low, part.high));
        execute format('alter table @schema.%I detach partition @schema.%I', parent, part.name);
        execute format('insert into @schema.%I (%s) overriding system value select %2$s from @schema.%I where %I = any ($1)',
          parent, columns, part.name, key) using ids;
        get diagnostics moved = row_count;
        execute format('drop table @schema.%I', part.name);
        dropped := dropped || part.name;
        jobs_moved := jobs_moved + case parent when 'job' then moved else 0 end;
      exception
        when lock_not_available or deadlock_detected then
          postponed := postponed || part.name;
          exit;
      end;
    end loop;
    if dropped <> '{}' then
      unfinished := true;
      return;
    end if;
  end loop;

  for rule in
    select queue, tenant, scanned_to, now() - make_interval(days => days) as until
      from @job_retention where make_interval(days => days) < retention order by queue, tenant
  loop
    -- Of rules that match, the one for the queue counts before the one for the tenant, and one for both before all.
    select max(c.id), count(*), array_agg(c.id order by c.id) filter (where
             (select (r.queue, r.tenant) = (rule.queue, rule.tenant)
                from @job_lane l
                join @job_retention r on r.queue in (l.queue, '') and r.tenant in (l.tenant, '')
               where l.id = c.lane
               order by r.queue = '', r.tenant = '' limit 1))
      into last, seen, ids
      from (select id, lane from @job where id > rule.scanned_to and id < @job_first_id(rule.until) order by id limit 2 * batch) c;
    continue when seen = 0;
    if ids is not null then
      jobs_deleted := jobs_deleted + @job_delete_ended(ids, rule.until);
    end if;
    update @job_retention set scanned_to = last where queue = rule.queue and tenant = rule.tenant;
    unfinished := unfinished or seen = 2 * batch;
  end loop;

  select scanned_to into low from @job_upkeep_scan;
  select max(c.id), count(*), array_agg(c.id) into last, seen, ids
    from (select id from @job_other where id > low and id < @job_first_id(cutoff) order by id limit batch) c;
  if seen > 0 then
    jobs_deleted := jobs_deleted + @job_delete_ended(ids, cutoff);
  end if;
  update @job_upkeep_scan set scanned_to = case when seen = batch then last else 0 end
   where scanned_to <> case when seen = batch then last else 0 end;
  unfinished := unfinished or seen = batch;

  delete from @job_unique where ctid = any (array(
    select ctid from @job_unique where until < now() limit batch for update skip locked));
  get diagnostics seen = row_count;
  rows_deleted := rows_deleted + seen;
  unfinished := unfinished or seen = batch;

  -- Those of jobs that wait are for whoever makes jobs expire, even if he comes late.
  delete from @job_expiry where ctid = any (array(
    select e.ctid
      from @job_expiry e
      left join @job j on j.id = e.id
     where e.at < now() - interval '1 hour'
       and not exists (select from @job_ready r where r.lane = j.lane and r.id = e.id)
       and not exists (select from @job_ready r where r.lane = - j.lane and r.id = e.id)
       and not exists (select from @job_delayed r where r.id = e.id)
       and not exists (select from @job_approval r where r.id = e.id)
       and not exists (select from @job_wait r where r.id = e.id)
       and not exists (select from @job_blocked r where r.id = e.id)
     limit batch for update of e skip locked));
  get diagnostics seen = row_count;
  rows_deleted := rows_deleted + seen;
  unfinished := unfinished or seen = batch;

  delete from @job_run where ctid = any (array(
    select n.ctid from @job_run n
     where exists (select from @job_attempt a where a.job_id = n.job_id and a.run = n.run)
     limit batch for update of n skip locked));
  get diagnostics seen = row_count;
  rows_deleted := rows_deleted + seen;
  unfinished := unfinished or seen = batch;

  -- Jobs that wait for a run of their key, where none is or nothing limits them any more.
  with free as (
    delete from @job_blocked where ctid = any (array(
      select b.ctid from @job_blocked b
       where not exists (select from @job_limit l where l.id = b.limit_id)
          or not exists (select from @job_limit_use u where u.limit_id = b.limit_id and u.tenant = b.tenant and u.key = b.key and u.running > 0)
       limit batch for update of b skip locked))
    returning id, ready_at, lane, run, attempt, flags)
  insert into @job_ready (id, ready_at, lane, run, attempt, flags)
  select id, ready_at, - abs(lane), run, attempt, flags from free;
  get diagnostics seen = row_count;
  unfinished := unfinished or seen = batch;
end
$$;
revoke all on function @maintain_jobs(interval, integer, integer) from public;

-- Now, so that the first jobs find their partitions: one table at a time.
select @maintain_jobs(interval '100 years') from generate_series(1, 3);
