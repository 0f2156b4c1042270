-- Partitions by day, and what becomes of old rows.

-- Does a bounded piece of the upkeep and says what it did; call it again while unfinished is true.
--
-- Runs with the rights of its owner, so that replicas need none to create or drop tables; whoever may
-- execute it can do no more than this. Time is the server's; days are UTC days.
--
-- Locks. Of many callers one works, the others return at once. Attaching a partition locks tick_other
-- and lets the others go on; dropping one locks all of tick, for a moment. Both give up after
-- lock_timeout and are tried again with the next call. One call never does both: whoever reads tick locks
-- it before its partitions, so to lock tick after tick_other would be asking for a deadlock.
create function @maintain(
  retention             interval,              -- at least a day
  ahead                 integer default 3,     -- days after today that get a partition
  batch                 integer default 5000,  -- rows deleted per table and call
  out worked            boolean,               -- false if another caller was at it
  out created           text[],                -- partitions
  out dropped           text[],
  out kept              text[],                -- old, but with rows that are live or ended lately
  out postponed         text[],                -- in use; next time
  out ticks_deleted     bigint,
  out keys_deleted      bigint,
  out replicas_deleted  bigint,
  out unfinished        boolean
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO'
set lock_timeout = '1s'
as $$
#variable_conflict use_column
declare
  most_drops  constant integer := 20;
  cutoff      timestamptz;
  today       date := (now() at time zone 'UTC')::date;
  day         date;
  part        record;
  in_use      boolean;
  old         text[] := '{}';
  name        text;
begin
  if retention is null or retention < interval '1 day' or ahead is null or ahead not between 1 and 366
      or batch is null or batch not between 1 and 100000 then
    raise exception 'maintain takes a retention of at least 1 day, 1 to 366 days ahead and batches of 1 to 100000, but got %, %, %',
      retention, ahead, batch using errcode = 'invalid_parameter_value';
  end if;
  cutoff := now() - retention;
  created := '{}';
  dropped := '{}';
  kept := '{}';
  postponed := '{}';
  ticks_deleted := 0;
  keys_deleted := 0;
  replicas_deleted := 0;
  unfinished := false;
  worked := pg_try_advisory_xact_lock(hashtextextended('monotick maintain @schema', 0));
  if not worked then
    return;
  end if;

  -- A range of missed ticks may begin long ago and have been recorded just now.
  delete from @tick_other where ctid = any (array(
    select ctid from @tick_other
     where nominal < cutoff and last_nominal < cutoff and (ended_at is null or ended_at < cutoff)
       and status = 'ENDED' and not occupies
     limit batch for update skip locked));
  get diagnostics ticks_deleted = row_count;
  delete from @trigger_key where ctid = any (array(
    select k.ctid from @trigger_key k
     where k.nominal < cutoff
       and not exists (select from @tick t
                        where t.task = k.task and t.nominal = k.nominal and t.trigger_key = k.key
                          and (t.status <> 'ENDED' or t.occupies))
     limit batch for update skip locked));
  get diagnostics keys_deleted = row_count;
  with deleted as (
    delete from @replica where ctid = any (array(
      select r.ctid from @replica r
       where r.gone_at < cutoff
         and not exists (select from @tick t
                          where t.claim_replica = r.id and (t.status <> 'ENDED' or t.occupies))
       limit batch for update skip locked))
    returning id),
  forgotten as (
    delete from @replica_gone g using deleted d where g.id = d.id)
  select count(*) into replicas_deleted from deleted;
  unfinished := batch in (ticks_deleted, keys_deleted, replicas_deleted);

  for offset_days in 0 .. ahead loop
    day := today + offset_days;
    continue when to_regclass(format('@schema.tick_%s', to_char(day, 'YYYYMMDD'))) is not null;
    -- Rows that are there already keep the day in tick_other.
    continue when exists (
      select from @tick_other where nominal >= day::timestamptz and nominal < (day + 1)::timestamptz);
    begin
      execute format('create table @schema.tick_%s (like @tick including defaults including constraints)',
        to_char(day, 'YYYYMMDD'));
      execute format('alter table @tick attach partition @schema.tick_%s for values from (%L) to (%L)',
        to_char(day, 'YYYYMMDD'), day::timestamptz, (day + 1)::timestamptz);
      created := created || ('tick_' || to_char(day, 'YYYYMMDD'));
    exception
      when lock_not_available or deadlock_detected then
        postponed := postponed || ('tick_' || to_char(day, 'YYYYMMDD'));
        exit; -- each further try would make others wait for as long again
      when check_violation or invalid_object_definition then
        null; -- rows came meanwhile, or a partition of another width covers the day
    end;
  end loop;

  -- Looking for rows that forbid it may take a while, so it comes before the lock.
  -- Materialized, so that no plan reads bounds of other tables' partitions as times.
  for part in
    with parts as materialized (
      select c.oid::regclass as name, c.relname,
             substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)$') as bound
        from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
       where i.inhparent = '@tick'::regclass and c.relnamespace = '@schema'::regnamespace)
    select name, relname from parts where bound::timestamptz <= cutoff order by relname
  loop
    if created <> '{}' or cardinality(old) = most_drops then
      unfinished := true;
      exit;
    end if;
    execute format('select exists (select from %s where status <> ''ENDED'' or occupies or last_nominal >= $1 or ended_at >= $1)',
      part.name) using cutoff into in_use;
    if in_use then
      kept := kept || part.relname::text;
    else
      old := old || part.relname::text;
    end if;
  end loop;
  if old <> '{}' then
    begin
      lock table @tick in access exclusive mode;
      foreach name in array old loop
        -- Somebody may have claimed an old tick since we looked.
        execute format('select exists (select from @schema.%I where status <> ''ENDED'' or occupies)', name) into in_use;
        if in_use then
          kept := kept || name;
        else
          execute format('drop table @schema.%I', name);
          dropped := dropped || name;
        end if;
      end loop;
    exception
      when lock_not_available or deadlock_detected then
        postponed := postponed || old;
    end;
  end if;
end
$$;
revoke all on function @maintain(interval, integer, integer) from public;

-- Now, so that the first ticks find their partitions.
select * from @maintain(interval '100 years');
