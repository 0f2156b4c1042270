package dev.monotick.server.statistics;

import dev.monotick.server.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Adds what happened to jobs to the sums of its minute, hour and day: each thing once, whoever dies
 * when, and however many try at a time.
 *
 * <p><b>What it reads.</b> The engine's own record: jobs, and the ends of runs. Rows of both are
 * inserted and never changed, so a row's {@code xmin} is the transaction that made it.
 *
 * <p><b>Once.</b> Times and numbers do not say what is new: a row becomes visible when its
 * transaction commits, which may be long after the time it bears, and after younger rows were
 * counted. Transactions do: once none below some number is open, all that those ever made is there.
 * So a pass counts the rows of the transactions from {@code low}, below {@code high}, where {@code
 * high} is the oldest one that is open when the pass begins; the next pass begins at {@code high}.
 * Which of them are counted moves in the transaction that adds to the sums, under the lock of the
 * one row that tells it. A crash undoes both or neither, and who comes second goes on from where
 * the first was; no fence is needed, for whoever has lost his lead either has that lock still, or
 * finds the row moved. A transaction that stays open delays what is counted, and loses nothing.
 *
 * <p>Rows are found by their time, for which there are indexes; a pass takes it in slices, so that
 * after a long pause no statement becomes too long. No row of a pass is older than its reach: rows
 * bear the time of the statement that makes them, which lasts less than {@link #MARGIN}, and every
 * pass notes which transaction comes next, so that later ones are known to be younger.
 *
 * <p><b>Exceptions</b>, which are remembered by their keys and looked up. Jobs that are forgotten
 * or purged are counted before, see {@link #ahead}. Runs of jobs that are a day old may get another
 * transaction, when the engine drops the partition of their day and moves what must stay: of these
 * the key alone decides. What vanishes by other ways less than a pass after it happened is not
 * counted: nothing in this server does that.
 */
@Component
public class RollUp {

  private static final Logger log = LoggerFactory.getLogger(RollUp.class);

  /** Longer than any statement that ends runs may take, and than two looks are apart. */
  private static final String MARGIN = "interval '2 minutes'";

  /** How much of the past one transaction counts. */
  private static final String SLICE = "interval '5 minutes'";

  private static final String COLUMNS =
      "added, succeeded, failed, retried, dead, cancelled, snoozed, rescued, requeued, ended,"
          + " runs, run_micros, run_longest, run_histogram,"
          + " starts, wait_micros, wait_longest, wait_histogram";

  /** What one attempt means; a handler ran only if it ended in one of the first five ways. */
  private static final String ATTEMPT =
      """
      j.lane, a.ended_at as at, a.outcome::integer as outcome,
      case when a.outcome <= 4 and a.started_at is not null then a.took_micros end as took,
      case when a.run = 1 and a.started_at is not null
           then greatest(0, extract(epoch from a.started_at - j.created_at) * 1000000)::bigint
      end as waited, a.job_id, a.run
      """;

  private static final String ADDED =
      """
      j.lane, j.created_at as at, -1 as outcome, null::bigint as took, null::bigint as waited,
      j.id as job_id, -1 as run
      """;

  private static final String IS_NEW =
      """
       and not exists (select from @statistics_ahead k where k.job_id = %s and k.run = %s)
      """;

  /** Whether a row is of this pass; numbers in rows are the last 32 bits of the real ones. */
  private static final String OF_PASS =
      "((%s.xmin::text::bigint - :low) & 4294967295) < :high - :low";

  private static final String SLICE_EVENTS =
      "with event as materialized (select "
          + ADDED
          + " from @@job j where j.id >= :fromId and j.id < :toId and "
          + OF_PASS.formatted("j")
          + IS_NEW.formatted("j.id", "-1")
          + " union all select "
          + ATTEMPT
          + """
             from @@job_attempt a join @@job j on j.id = a.job_id
            where a.ended_at >= cast(:from as timestamptz) and a.ended_at < cast(:to as timestamptz)
              and (a.job_id < :oldId or
            """
          + OF_PASS.formatted("a")
          + ")"
          + IS_NEW.formatted("a.job_id", "a.run")
          + "), ";

  /** Whether a row is of this pass and after what is done of it, or of a later pass. */
  private static final String NOT_COUNTED =
      "case when "
          + OF_PASS
          + " then %s else ((%s.xmin::text::bigint - :high) & 4294967295) < 2147483648 end";

  private static final String AHEAD_EVENTS =
      "with event as materialized (select "
          + ADDED
          + " from @@job j where j.id = any(:ids) and "
          + NOT_COUNTED.formatted("j", "j.id >= :fromId", "j")
          + IS_NEW.formatted("j.id", "-1")
          + " union all select "
          + ATTEMPT
          + """
             from @@job_attempt a join @@job j on j.id = a.job_id
            where a.job_id = any(:ids)
              and case when a.job_id < :oldId then a.ended_at >= cast(:reach as timestamptz) else
            """
          + NOT_COUNTED.formatted("a", "a.ended_at >= cast(:from as timestamptz)", "a")
          + " end"
          + IS_NEW.formatted("a.job_id", "a.run")
          + "), ";

  private static final String ADD =
      """
      keys as (
        insert into @statistics_ahead (job_id, run, at)
        select job_id, run, at from event where job_id < :keepId
        on conflict do nothing),
      part as (
        select lane, date_trunc('minute', at, 'UTC') as minute, outcome,
               width_bucket(took, cast(:bounds as bigint[])) as run_place,
               width_bucket(waited, cast(:bounds as bigint[])) as wait_place,
               count(*) as n, sum(took)::bigint as took, max(took) as took_longest,
               sum(waited)::bigint as waited, max(waited) as waited_longest
          from event group by 1, 2, 3, 4, 5)
      insert into @job_statistic as s (tenant, resolution, at, kind, queue,
      """
          + COLUMNS
          + """
      )
      select l.tenant, r.name, date_trunc(r.name, p.minute, 'UTC'), l.kind, l.queue,
             coalesce(sum(p.n) filter (where p.outcome = -1), 0),
             coalesce(sum(p.n) filter (where p.outcome = 0), 0),
             coalesce(sum(p.n) filter (where p.outcome in (1, 3, 7)), 0),
             coalesce(sum(p.n) filter (where p.outcome = 1), 0),
             coalesce(sum(p.n) filter (where p.outcome in (3, 7)), 0),
             coalesce(sum(p.n) filter (where p.outcome = 9), 0),
             coalesce(sum(p.n) filter (where p.outcome = 2), 0),
             coalesce(sum(p.n) filter (where p.outcome = 6), 0),
             coalesce(sum(p.n) filter (where p.outcome = 12), 0),
             coalesce(sum(p.n) filter (where p.outcome in (4, 8, 10, 11)), 0),
             coalesce(sum(p.n) filter (where p.run_place is not null), 0),
             coalesce(sum(p.took), 0), coalesce(max(p.took_longest), 0),
             coalesce(@histogram_sum(array_fill(0::bigint, array[p.run_place]) || p.n)
                        filter (where p.run_place is not null), '{}'),
             coalesce(sum(p.n) filter (where p.wait_place is not null), 0),
             coalesce(sum(p.waited), 0), coalesce(max(p.waited_longest), 0),
             coalesce(@histogram_sum(array_fill(0::bigint, array[p.wait_place]) || p.n)
                        filter (where p.wait_place is not null), '{}')
        from part p
        join @@job_lane l on l.id = p.lane
       cross join (values ('MINUTE'), ('HOUR'), ('DAY')) as r(name)
       where p.outcome <> 5
       group by 1, 2, 3, 4, 5
       order by 1, 2, 3, 4, 5
      on conflict (tenant, resolution, at, kind, queue) do update set
        added = s.added + excluded.added, succeeded = s.succeeded + excluded.succeeded,
        failed = s.failed + excluded.failed, retried = s.retried + excluded.retried,
        dead = s.dead + excluded.dead, cancelled = s.cancelled + excluded.cancelled,
        snoozed = s.snoozed + excluded.snoozed, rescued = s.rescued + excluded.rescued,
        requeued = s.requeued + excluded.requeued, ended = s.ended + excluded.ended,
        runs = s.runs + excluded.runs, run_micros = s.run_micros + excluded.run_micros,
        run_longest = greatest(s.run_longest, excluded.run_longest),
        run_histogram = @histogram_add(s.run_histogram, excluded.run_histogram),
        starts = s.starts + excluded.starts, wait_micros = s.wait_micros + excluded.wait_micros,
        wait_longest = greatest(s.wait_longest, excluded.wait_longest),
        wait_histogram = @histogram_add(s.wait_histogram, excluded.wait_histogram)
      """;

  private final Sql sql;
  private final TransactionTemplate apart;

  /** How far it is counted. Times are PostgreSQL's own texts, so that infinity is one of them. */
  private record Progress(long low, long high, String reach, String doneTo, boolean isOver) {}

  /** Oldest open transaction, and the next one. */
  private record Open(long oldest, long next) {}

  /** A piece of time, and the numbers of jobs made in it. */
  private record Slice(String to, long fromId, long toId, long oldId, long keepId) {}

  RollUp(Sql sql, PlatformTransactionManager manager) {
    this.sql = sql;
    this.apart = new TransactionTemplate(manager);
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  /**
   * Has the index of ends know all that is there; else what it does not know is read each time.
   * Autovacuum does that too, but forgets it when there is much to do. It is not waited for: who
   * waits for a second ends it.
   */
  void tidy() {
    try {
      sql.inTransaction(
          () -> {
            sql.of("set local lock_timeout = '200ms'").update();
            sql.of(
                    """
                    select brin_summarize_new_values(inhrelid) from pg_inherits
                     where inhparent = '@@job_attempt_ended_at'::regclass
                    """)
                .query((row, number) -> row.getInt(1))
                .list();
          });
    } catch (DataAccessException e) {
      log.debug("the index of ends was left as it is: {}", e.toString());
    }
  }

  /** Counts a piece, in a transaction; returns whether there is more to count now. */
  boolean step() {
    return sql.transaction(
        () -> {
          Progress progress = lock();
          if (progress.isOver()) {
            progress = begin(progress);
          }
          Slice slice = slice(progress);
          bind(SLICE_EVENTS + ADD, progress, slice)
              .param("toId", slice.toId())
              .param("to", slice.to())
              .param("keepId", slice.keepId())
              .update();
          return !move(slice.to());
        });
  }

  /**
   * Counts what happened to jobs that somebody is about to forget, in the open transaction. They
   * must be over, and locked: what happens to them later is not counted if they are forgotten.
   */
  public void ahead(List<Long> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    Progress progress = lock();
    bind(AHEAD_EVENTS + ADD, progress, slice(progress))
        .param("ids", jobs.toArray(Long[]::new))
        .param("reach", progress.reach())
        .param("keepId", Long.MAX_VALUE)
        .update();
  }

  /** The same in a transaction of its own, for what is forgotten by one that is not ours. */
  public void aheadApart(List<Long> jobs) {
    apart.executeWithoutResult(status -> ahead(jobs));
  }

  private JdbcClient.StatementSpec bind(String template, Progress progress, Slice slice) {
    return sql.of(template)
        .param("low", progress.low())
        .param("high", progress.high())
        .param("from", progress.doneTo())
        .param("fromId", slice.fromId())
        .param("oldId", slice.oldId())
        .param("bounds", Histogram.boundsInMicros());
  }

  /** Whoever counts has this lock: of two, the second sees what the first did. */
  private Progress lock() {
    return sql.of("select p.* from @statistics_progress p where one for update")
        .query((row, number) -> progress(row))
        .single();
  }

  private static Progress progress(ResultSet row) throws SQLException {
    String doneTo = row.getString("done_to");
    return new Progress(
        row.getLong("low"),
        row.getLong("high"),
        row.getString("reach"),
        doneTo,
        doneTo.equals("infinity"));
  }

  /**
   * Begins a pass. Numbers that are ahead of the server's mean that the database is a copy that was
   * restored elsewhere: what it has is not counted again.
   */
  private Progress begin(Progress last) {
    Open open =
        sql.of(
                """
                select pg_snapshot_xmin(s)::text::bigint as oldest,
                       pg_current_xact_id()::text::bigint as next
                  from pg_current_snapshot() as s
                """)
            .query((row, number) -> new Open(row.getLong("oldest"), row.getLong("next")))
            .single();
    boolean restored = open.next() < last.high();
    if (restored) {
      sql.of("delete from @statistics_mark").update();
    }
    long low = restored ? open.oldest() : last.high();
    // Now is when this transaction began, which was before it got its number; so those with greater
    // numbers are younger. (The snapshot's xmax is no such number: open ones may be beyond it.)
    sql.of("insert into @statistics_mark (next, at) values (:next, now()) on conflict do nothing")
        .param("next", open.next())
        .update();
    return sql.of(
            """
            with mark as (
              select coalesce(max(at), now() - interval '1 hour') as at
                from @statistics_mark where next <= :low),
            gone as (delete from @statistics_mark m using mark where m.at < mark.at),
            old as (
              delete from @statistics_ahead k using mark
               where k.at < least(mark.at, now()) - interval '1 hour')
            update @statistics_progress p
               set low = :low, high = :high, began_at = now(),
                   reach = least(mark.at, now()) - MARGIN, done_to = least(mark.at, now()) - MARGIN
              from mark where p.one
            returning p.low, p.high, p.reach, p.done_to
            """
                .replace("MARGIN", MARGIN))
        .param("low", low)
        .param("high", Math.max(low, Math.min(open.oldest(), low + Integer.MAX_VALUE)))
        .query((row, number) -> progress(row))
        .single();
  }

  private Slice slice(Progress progress) {
    return sql.of(
            """
            select case when f.at + SLICE < now() then (f.at + SLICE)::text else 'infinity' end,
                   case when f.at = 'infinity' then 9223372036854775807
                        else @@job_first_id(f.at) end,
                   case when f.at + SLICE < now() then @@job_first_id(f.at + SLICE)
                        else 9223372036854775807 end,
                   @@job_first_id(now() - interval '20 hours'),
                   @@job_first_id(now() - interval '8 hours')
              from (select cast(:from as timestamptz) as at) f
            """
                .replace("SLICE", SLICE))
        .param("from", progress.doneTo())
        .query(
            (row, number) ->
                new Slice(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5)))
        .single();
  }

  /** Says how far it is done, and returns whether the pass is over. */
  private boolean move(String doneTo) {
    return sql.of(
            """
            update @statistics_progress
               set done_to = cast(:to as timestamptz),
                   counted_at = case when :to = 'infinity' then began_at else counted_at end
             where one returning done_to = 'infinity'
            """)
        .param("to", doneTo)
        .query((row, number) -> row.getBoolean(1))
        .single();
  }
}
