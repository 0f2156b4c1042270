-- Completes runs and claims jobs in one round trip.

-- Completes runs, promotes due jobs, claims jobs, and leaves an offer if it found none. The first row holds the facts of
-- the exchange, the others are the claimed jobs.
--
-- Locks the rows of job_ready that it takes and skips rows that are locked. Waits for an enqueuer that is handing a job
-- off to this replica. With a claim number but for no jobs it withdraws the offer.
create function @job_exchange(
  who            uuid,
  done           @job_completions,
  request        @job_claim_request,
  had_offer      boolean, -- whether the replica may have an offer
  offer_channel  text,    -- channel to notify of a hand-off; null to make no offer if nothing is found
  promote_from   bigint   -- microseconds since 1970: look for what became due, from that time on; null to not look
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
                             -- its number, when a rate allows more, 1 if the offer stands, 1 if its number is used,
                             -- 1 if lanes were scanned: not for a replica that is gone, nor for a number that is used
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
  earlier    xid8 := pg_current_xact_id_if_assigned(); -- null, unless this is a part of a larger transaction
  before     bigint;
  rules      bigint;
  shot       pg_snapshot;
  next_due   timestamptz;
  limit_due  timestamptz;
  at         timestamptz;
  c_ids      bigint[];
  c_lanes    integer[];
  c_runs     integer[];
  c_attempts smallint[];
  c_flags    smallint[];
  c_ready    timestamptz[];
  has_offer  boolean := false;
  is_used    boolean := false;
  has_scanned boolean := false;
begin
  before := @job_id_now(); -- before this transaction has a number: see its facts
  lock table @limit_lock in row share mode;
  if done.ids is not null then
    counted := @job_complete(who, done);
  end if;
  if done.claims is not null then
    perform @job_delete_finished(who, done);
  end if;
  if promote_from is not null then
    select d.next_due into next_due from @job_promote_due(timestamptz 'epoch' + promote_from * interval '1 microsecond', null) as d;
  end if;
  select v.version, pg_current_snapshot() into rules, shot from @job_rules_version v where v.one;
  -- A replica that is gone claims nothing: this may be a message of long ago.
  if request.number > 0 and rules = request.rules_version and not exists (select from @replica_gone g where g.id = who) then
    -- Before the claim is read: an enqueuer that uses the number right now is waited for, and what it claimed is found.
    if had_offer and offer_channel is null then
      delete from @job_offer o where o.replica = who and o.number = request.number;
    elsif had_offer then
      perform from @job_offer o where o.replica = who and o.number = request.number for update;
    end if;
    select f.* into is_used, c_ids, c_lanes, c_runs, c_attempts, c_flags from @job_find_claim(who, request.number) as f;
    if is_used and had_offer then
      delete from @job_offer o where o.replica = who and o.number = request.number;
    elsif not is_used then
      has_scanned := true;
      at := clock_timestamp();
      select t.* into c_ids, c_lanes, c_runs, c_attempts, c_flags, c_ready, full_lanes, full_since, took_lanes, took_last, limit_due
        from @job_take_lanes(request, at) as t;
      is_used := cardinality(c_ids) > 0;
      if is_used then
        perform @job_write_claim(who, request.number, had_offer, c_ids, c_lanes, c_runs, c_attempts, c_flags, at);
      elsif offer_channel is not null then
        perform @job_make_offer(who, request, offer_channel, had_offer, at);
        has_offer := true;
      end if;
    end if;
  end if;
  -- Not the snapshot's xmax: transactions that are open may have greater numbers than that.
  facts := array[rules, pg_snapshot_xmin(shot)::text::bigint, case when earlier is null then pg_current_xact_id_if_assigned()::text::bigint end,
                 (extract(epoch from clock_timestamp()) * 1000000)::bigint, (extract(epoch from next_due) * 1000000)::bigint, before,
                 (extract(epoch from limit_due) * 1000000)::bigint, has_offer::integer, is_used::integer, has_scanned::integer];
  return next;
  if cardinality(c_ids) > 0 then
    return query
      select r.*, null::boolean[], null::bigint[], null::integer[], null::bigint[], null::integer[], null::bigint[]
        from @job_read_runs(c_ids, c_runs, c_attempts, c_lanes, c_flags, c_ready) as r;
  end if;
end
$$;
