package dev.monotick.postgres.job.admin;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.BoundValues;
import dev.monotick.postgres.job.row.CountChanges;
import dev.monotick.postgres.job.row.CountChanges.Of;
import dev.monotick.postgres.job.row.JobFlags;
import dev.monotick.postgres.job.row.RunOutcomes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings jobs back that ended, or forgets them for good. Whoever does either, or deletes what is
 * older than its retention, first locks the rows of the jobs, in the order of their numbers, and
 * looks then: so of several one does it.
 */
final class JobRequeue {

  /** How many jobs one call takes. */
  static final int MOST = 10_000;

  private final Database database;
  private final String lock;
  private final String last;
  private final String takeKeys;
  private final String record;
  private final String ready;
  private final String requestApproval;
  private final String expire;
  private final String revive;
  private final List<String> forget;

  /** A job that ended, and what it needs to begin again. */
  private record EndedJob(
      long id,
      int lane,
      String queue,
      int flags,
      @Nullable UUID key,
      @Nullable Long keyMicros,
      int run,
      boolean dead) {

    boolean needsApproval() {
      return (flags & JobFlags.GATED) != 0;
    }
  }

  /** The jobs, and the queues that have them. */
  record Requeued(List<JobId> ids, Set<String> queues) {}

  JobRequeue(Database database) {
    this.database = database;
    lock =
        database.sql(
            """
            select j.id, j.lane, l.queue,
                   case when j.unique_key is not null
                        then @job_key(l.kind, l.tenant, j.unique_key) end,
                   case when j.unique_millis is not null
                        then (extract(epoch from j.created_at) * 1000000)::bigint
                             + j.unique_millis * 1000 end,
                   coalesce(j.created_at + j.unique_millis * interval '1 millisecond'
                            > clock_timestamp(), true),
                   j.limit_key is not null, j.deadline is not null, j.approval_millis is not null,
                   j.effect
              from @job j join @job_lane l on l.id = j.lane
             where j.id = any (?)
             order by j.id for update of j
            """);
    last =
        database.sql(
            """
            select i.id, a.run, a.outcome, exists (select from @job_dead d where d.id = i.id)
              from unnest(?::bigint[]) as i(id)
             cross join lateral (select run, outcome from @job_attempt
                                  where job_id = i.id order by run desc limit 1) a
            """);
    takeKeys =
        database.sql(
            """
            insert into @job_unique as u (hash, job_id, until)
            select hash, id, timestamptz 'epoch' + micros * interval '1 microsecond'
              from unnest(?::uuid[], ?::bigint[], ?::bigint[]) as k(hash, id, micros)
             order by hash
            on conflict (hash) do update set job_id = excluded.job_id, until = excluded.until
             where u.job_id = excluded.job_id or u.until <= clock_timestamp()
            returning job_id
            """);
    record =
        database.sql(
            """
            insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)
            select id, clock_timestamp(), 0, run, 1, ?, ?
              from unnest(?::bigint[], ?::int[]) as r(id, run)
            """);
    String jobs = "unnest(?::bigint[], ?::int[], ?::int[], ?::int[]) as r(id, lane, run, flags)";
    ready =
        database.sql(
            "insert into @job_ready (id, ready_at, lane, run, attempt, flags)"
                + " select id, clock_timestamp(), -lane, run, 0, flags from "
                + jobs);
    requestApproval =
        database.sql(
            "insert into @job_approval (id, asked_at, due_at, lane, run, attempt, flags)"
                + " select id, clock_timestamp(), null, lane, run, 0, flags from "
                + jobs);
    expire =
        database.sql(
            """
            insert into @job_expiry (at, id)
            select at, id from (
              select clock_timestamp() + approval_millis * interval '1 millisecond' as at, id
                from @job where id = any (?) and approval_millis is not null
              union
              select greatest(deadline, clock_timestamp()), id
                from @job where id = any (?) and deadline is not null) e
             order by at, id
            on conflict do nothing
            """);
    revive = database.sql("delete from @job_dead where id = any (?)");
    forget =
        List.of(
            // The ends of runs that a claim still names stay, or these runs would seem to go on.
            database.sql(
                "delete from @job_attempt a where a.job_id = any (?) and not exists"
                    + " (select from @job_claim c where c.ids @> array[a.job_id])"),
            database.sql("delete from @job_log where job_id = any (?)"),
            database.sql("delete from @job_run where job_id = any (?)"),
            database.sql("delete from @job where id = any (?)"));
  }

  /** Has jobs run again; see {@link dev.monotick.spi.job.JobStore#requeue}. */
  Requeued requeue(List<JobId> ids, String by) {
    Set<Long> wanted = distinct(ids);
    if (wanted.isEmpty()) {
      return new Requeued(List.of(), Set.of());
    }
    List<EndedJob> requeued =
        database.inTransaction("requeueing jobs", connection -> requeue(connection, wanted, by));
    return new Requeued(names(requeued), queues(requeued));
  }

  private List<EndedJob> requeue(Connection connection, Set<Long> ids, String by)
      throws SQLException {
    List<EndedJob> found = over(connection, ids);
    found = withKeys(connection, found);
    if (found.isEmpty()) {
      return found;
    }
    try (PreparedStatement statement = connection.prepareStatement(record)) {
      statement.setInt(1, RunOutcomes.stored(Outcome.REQUEUED));
      statement.setString(2, BoundValues.text(by));
      BoundValues.column(statement, 3, "int8", found, EndedJob::id);
      BoundValues.column(statement, 4, "int4", found, job -> job.run() + 1);
      Database.expect(found.size(), statement.executeUpdate(), "requeueing jobs");
    }
    insert(connection, ready, found.stream().filter(job -> !job.needsApproval()).toList());
    insert(connection, requestApproval, found.stream().filter(EndedJob::needsApproval).toList());
    List<Long> expiring =
        found.stream()
            .filter(job -> (job.flags & JobFlags.EXPIRES) != 0)
            .map(EndedJob::id)
            .toList();
    if (!expiring.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement(expire)) {
        BoundValues.ids(statement, 1, expiring);
        BoundValues.ids(statement, 2, expiring);
        statement.executeUpdate();
      }
    }
    change(connection, revive, found.stream().filter(EndedJob::dead).map(EndedJob::id).toList());
    CountChanges counts = new CountChanges();
    for (EndedJob job : found) {
      counts.add(job.lane, job.needsApproval() ? Of.WAITING : Of.READY, 1);
      counts.add(job.lane, Of.DEAD, job.dead ? -1 : 0);
    }
    counts.append(database, connection);
    return found;
  }

  /** Locks the jobs, and returns those that ended otherwise than well. */
  private List<EndedJob> over(Connection connection, Set<Long> ids) throws SQLException {
    TreeMap<Long, EndedJob> jobs = new TreeMap<>();
    try (PreparedStatement statement = connection.prepareStatement(lock)) {
      BoundValues.ids(statement, 1, ids);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          EndedJob job = read(row);
          jobs.put(job.id, job);
        }
      }
    }
    List<EndedJob> over = new ArrayList<>();
    // A statement of its own: it sees what those did who had the locks before.
    try (PreparedStatement statement = connection.prepareStatement(last)) {
      BoundValues.ids(statement, 1, jobs.keySet());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          EndedJob job = jobs.get(row.getLong(1));
          boolean dead = row.getBoolean(4);
          if (job != null && isOver(RunOutcomes.of(row.getInt(3)), dead)) {
            over.add(
                new EndedJob(
                    job.id,
                    job.lane,
                    job.queue,
                    job.flags,
                    job.key,
                    job.keyMicros,
                    row.getInt(2),
                    dead));
          }
        }
      }
    }
    over.sort((a, b) -> Long.compare(a.id, b.id));
    return over;
  }

  private static boolean isOver(Outcome outcome, boolean dead) {
    return switch (outcome) {
      case DIED, CRASHED -> dead;
      case DISCARDED, LOST, CANCELLED, REJECTED, EXPIRED -> true;
      case SUCCEEDED, RETRIED, SNOOZED, HANDED_BACK, RESCUED, REQUEUED -> false;
    };
  }

  /** Jobs that waited for this one were told when it ended, so it has no next one any more. */
  private static EndedJob read(ResultSet row) throws SQLException {
    UUID key = row.getObject(4, UUID.class);
    boolean hasKey = key != null && row.getBoolean(6);
    long micros = row.getLong(5);
    Long keyMicros = row.wasNull() ? null : micros;
    int flags =
        (hasKey ? JobFlags.UNIQUE : 0)
            | (row.getBoolean(7) ? JobFlags.KEYED : 0)
            | (row.getBoolean(8) || row.getBoolean(9) ? JobFlags.EXPIRES : 0)
            | (row.getBoolean(9) ? JobFlags.GATED : 0)
            | (row.getInt(10) == 1 ? JobFlags.AT_MOST_ONCE : 0);
    return new EndedJob(
        row.getLong(1),
        row.getInt(2),
        row.getString(3),
        flags,
        hasKey ? key : null,
        keyMicros,
        0,
        false);
  }

  /** Takes the unique keys again; jobs whose key another one has meanwhile are left out. */
  private List<EndedJob> withKeys(Connection connection, List<EndedJob> jobs) throws SQLException {
    TreeMap<UUID, EndedJob> first = new TreeMap<>();
    for (EndedJob job : jobs) {
      if (job.key != null) {
        first.putIfAbsent(job.key, job);
      }
    }
    if (first.isEmpty()) {
      return jobs;
    }
    List<EndedJob> keyed = List.copyOf(first.values());
    Set<Long> taken = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(takeKeys)) {
      BoundValues.column(statement, 1, "uuid", keyed, EndedJob::key);
      BoundValues.column(statement, 2, "int8", keyed, EndedJob::id);
      BoundValues.column(statement, 3, "int8", keyed, EndedJob::keyMicros);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          taken.add(row.getLong(1));
        }
      }
    }
    return jobs.stream().filter(job -> job.key == null || taken.contains(job.id)).toList();
  }

  private static void insert(Connection connection, String sql, List<EndedJob> jobs)
      throws SQLException {
    if (jobs.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      BoundValues.column(statement, 1, "int8", jobs, EndedJob::id);
      BoundValues.column(statement, 2, "int4", jobs, EndedJob::lane);
      BoundValues.column(statement, 3, "int4", jobs, job -> job.run() + 1);
      BoundValues.column(statement, 4, "int4", jobs, EndedJob::flags);
      statement.executeUpdate();
    }
  }

  /** Forgets dead letters; see {@link dev.monotick.spi.job.JobStore#purge}. */
  List<JobId> purge(List<JobId> ids) {
    Set<Long> wanted = distinct(ids);
    return wanted.isEmpty()
        ? List.of()
        : database.inTransaction(
            "purging dead letters", connection -> names(purge(connection, wanted)));
  }

  private List<EndedJob> purge(Connection connection, Set<Long> ids) throws SQLException {
    List<EndedJob> dead = over(connection, ids).stream().filter(EndedJob::dead).toList();
    List<Long> found = dead.stream().map(EndedJob::id).toList();
    if (dead.isEmpty()) {
      return dead;
    }
    List<EndedJob> keyed = dead.stream().filter(job -> job.key != null).toList();
    try (PreparedStatement statement =
        connection.prepareStatement(
            database.sql(
                "delete from @job_unique u using unnest(?::uuid[], ?::bigint[]) as k(hash, id)"
                    + " where u.hash = k.hash and u.job_id = k.id"))) {
      BoundValues.column(statement, 1, "uuid", keyed, EndedJob::key);
      BoundValues.column(statement, 2, "int8", keyed, EndedJob::id);
      statement.executeUpdate();
    }
    change(connection, revive, found);
    for (String sql : forget) {
      change(connection, sql, found);
    }
    CountChanges counts = new CountChanges();
    for (EndedJob job : dead) {
      counts.add(job.lane, Of.DEAD, -1);
    }
    counts.append(database, connection);
    return dead;
  }

  private static void change(Connection connection, String sql, Collection<Long> ids)
      throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      BoundValues.ids(statement, 1, ids);
      statement.executeUpdate();
    }
  }

  private static Set<Long> distinct(List<JobId> ids) {
    if (ids.size() > MOST) {
      throw new IllegalArgumentException(
          "ids must be at most " + MOST + ", but were " + ids.size() + "; ask in several calls");
    }
    Set<Long> distinct = new TreeSet<>();
    ids.forEach(id -> distinct.add(id.value()));
    return distinct;
  }

  private static List<JobId> names(List<EndedJob> jobs) {
    return jobs.stream().map(job -> new JobId(job.id)).toList();
  }

  private static Set<String> queues(List<EndedJob> jobs) {
    Set<String> queues = new TreeSet<>();
    jobs.forEach(job -> queues.add(job.queue));
    return Collections.unmodifiableSet(queues);
  }
}
