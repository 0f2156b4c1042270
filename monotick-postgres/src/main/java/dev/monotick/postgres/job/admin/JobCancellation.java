package dev.monotick.postgres.job.admin;

import static java.util.Objects.requireNonNullElse;

import dev.monotick.error.StoreException;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.BoundValues;
import dev.monotick.postgres.job.row.CountChanges;
import dev.monotick.postgres.job.row.CountChanges.Of;
import dev.monotick.postgres.job.row.RunOutcomes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a job off, wherever it is.
 *
 * <p>A job moves between tables while somebody looks for it, so one look may miss it. Each look
 * takes row locks: the row of a job that waits is deleted, which claims skip from then on; of one
 * that runs, the end is inserted, and the primary key decides against the replica that reports
 * another. Whoever came first has committed when the look goes on, and the next look, at read
 * committed, sees where the job went. It is repeated until the job was found, or has ended.
 */
final class JobCancellation {

  /** Each look that misses means that the job moved meanwhile, which takes a transaction each. */
  private static final int MAX_RETRIES = 50;

  private final Database database;
  private final FollowUps followUps;
  private final String lane;
  private final String waiting;
  private final String running;
  private final String last;
  private final String record;
  private final String forget;

  /** What a look found and took away. */
  private record Found(Of where, int lane, int run, int flags) {}

  JobCancellation(Database database, FollowUps ends) {
    this.database = database;
    this.followUps = ends;
    lane = // and lets no limit be set until the end: it would count a run that is just ended
        database.sql("select lane, @job_share_limit_lock() from @job where id = ?");
    waiting =
        database.sql(
            """
            with r as (delete from @job_ready where lane in (?, ?) and id = ?
                       returning run, attempt, flags),
                 b as (delete from @job_blocked where id = ? returning run, attempt, flags),
                 d as (delete from @job_delayed where id = ? returning run, attempt, flags),
                 g as (delete from @job_approval where id = ? returning run, attempt, flags),
                 w as (delete from @job_wait where id = ? returning flags)
            select 'READY', run, attempt, flags from r
            union all select 'READY', run, attempt, flags from b
            union all select 'WAITING', run, attempt, flags from d
            union all select 'WAITING', run, attempt, flags from g
            union all
            select 'WAITING',
                   coalesce((select max(run) from @job_attempt where job_id = ?), 0), 0, flags
              from w
            """);
    running =
        database.sql(
            """
            with found as (
              select u.id, u.lane, u.run, u.attempt, u.flags, c.replica
                from @job_claim c
               cross join lateral unnest(c.ids, c.lanes, c.runs, c.attempts, c.flags)
                     as u(id, lane, run, attempt, flags)
               where c.ids @> array[?]::bigint[] and u.id = ?),
            ended as (
              insert into @job_attempt
                (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, detail)
              select f.id, clock_timestamp(), n.started_at,
                     coalesce(greatest(extract(epoch from clock_timestamp() - n.started_at)
                                       * 1000000, 0), 0)::bigint,
                     f.replica, f.run, f.attempt, ?, ?
                from found f left join @job_run n on n.job_id = f.id and n.run = f.run
              on conflict do nothing returning run)
            select f.lane, f.run, f.flags from found f join ended e on e.run = f.run
            """);
    last =
        database.sql("select outcome from @job_attempt where job_id = ? order by run desc limit 1");
    record =
        database.sql(
            "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome, detail)"
                + " values (?, clock_timestamp(), 0, ?, ?, ?, ?)");
    forget = database.sql("delete from @job_run where job_id = ?");
  }

  /** What became of it. */
  enum Result {
    /** It was over already, or is not known. */
    NOTHING,
    /** It waited. */
    WAITED,
    /** A replica has it, and should be told. */
    RAN
  }

  Result cancel(long id, String detail) {
    return database.inTransaction(
        "cancelling job " + id, connection -> cancel(connection, id, detail));
  }

  private Result cancel(Connection connection, long id, String detail) throws SQLException {
    Integer lane = laneOf(connection, id);
    if (lane == null) {
      return Result.NOTHING;
    }
    for (int look = 0; look < MAX_RETRIES; look++) {
      Found found = takeWaiting(connection, id, lane, detail);
      if (found == null) {
        found = endRun(connection, id, detail);
      }
      if (found != null) {
        new CountChanges()
            .add(lane, found.where, -1)
            .add(lane, Of.ENDED, 1)
            .append(database, connection);
        followUps.apply(
            connection, List.of(new FollowUps.Ended(id, found.run, lane, found.flags, false)));
        return found.where == Of.RUNNING ? Result.RAN : Result.WAITED;
      }
      if (isOver(connection, id)) {
        return Result.NOTHING;
      }
    }
    throw new StoreException(
        "job "
            + id
            + " moved whenever it was looked for, "
            + MAX_RETRIES
            + " times; cancel it again");
  }

  private @Nullable Integer laneOf(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(lane)) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getInt(1) : null;
      }
    }
  }

  private @Nullable Found takeWaiting(Connection connection, long id, int lane, String detail)
      throws SQLException {
    Found found;
    int attempt;
    try (PreparedStatement statement = connection.prepareStatement(waiting)) {
      statement.setInt(1, lane);
      statement.setInt(2, -lane);
      for (int i = 3; i <= 8; i++) {
        statement.setLong(i, id);
      }
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        // Nobody had it: the end gets the number that the next claim would have had.
        found = new Found(Of.valueOf(row.getString(1)), lane, row.getInt(2) + 1, row.getInt(4));
        attempt = row.getInt(3) + 1;
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(record)) {
      statement.setLong(1, id);
      statement.setInt(2, found.run);
      statement.setInt(3, attempt);
      statement.setInt(4, RunOutcomes.stored(Outcome.CANCELLED));
      statement.setString(5, detail);
      statement.executeUpdate();
    }
    return found;
  }

  private @Nullable Found endRun(Connection connection, long id, String detail)
      throws SQLException {
    Found found;
    try (PreparedStatement statement = connection.prepareStatement(running)) {
      statement.setLong(1, id);
      statement.setLong(2, id);
      statement.setInt(3, RunOutcomes.stored(Outcome.CANCELLED));
      statement.setString(4, detail);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        found = new Found(Of.RUNNING, row.getInt(1), row.getInt(2), row.getInt(3));
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(forget)) {
      statement.setLong(1, id);
      statement.executeUpdate();
    }
    return found;
  }

  private boolean isOver(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(last)) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && RunOutcomes.state(row.getInt(1)) != null;
      }
    }
  }

  /** Returns who and why, as it is kept with an end. */
  static String detail(@Nullable String by, @Nullable String reason) {
    String who = requireNonNullElse(by, "");
    String why = requireNonNullElse(reason, "");
    return BoundValues.text(who.isEmpty() ? why : why.isEmpty() ? who : who + ": " + why);
  }
}
