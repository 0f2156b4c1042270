package dev.monotick.postgres.job.queue;

import dev.monotick.job.Job;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records what is known of runs that take a while. Thread-safe. */
public final class RunProgressTable {

  /** In place of the number of a claim, which is 1 or more. */
  private static final long NOT_OPEN = 0;

  private final Database database;
  private final String note;
  private final String lines;

  public RunProgressTable(Database database) {
    this.database = database;
    note =
        database.sql(
            "select * from @job_report_progress(?::uuid, ?::bigint[], ?::integer[], ?::bigint[],"
                + " ?::float8[], ?::text[], ?::bigint[])");
    lines =
        database.sql(
            "insert into @job_log (job_id, at, text)"
                + " select u.id, timestamptz 'epoch' + u.at * interval '1 microsecond', u.text"
                + " from unnest(?::bigint[], ?::bigint[], ?::text[]) as u(id, at, text)");
  }

  /** Returns the runs that have ended, or were never the replica's. */
  public Set<JobRun> note(MemberId replica, List<RunProgress> notes, OpenClaims claims) {
    if (notes.isEmpty()) {
      return Set.of();
    }
    List<RunProgress> sorted =
        notes.stream().sorted(Comparator.comparing(note -> note.run().id())).toList();
    long[] open = new long[sorted.size()]; // numbers of claims
    for (int i = 0; i < open.length; i++) {
      JobRun run = sorted.get(i).run();
      OpenClaims.Open found = claims.find(run.id(), run.number());
      open[i] = found == null ? NOT_OPEN : found.claimNumber();
    }
    Set<Long> ended =
        database.inTransaction(
            "noting what runs", connection -> note(connection, replica, sorted, open));
    Set<JobRun> lost = new HashSet<>();
    for (int i = 0; i < open.length; i++) {
      JobRun run = sorted.get(i).run();
      if (open[i] == NOT_OPEN) {
        lost.add(run);
      } else if (ended.contains(run.id().value())) {
        lost.add(run);
        claims.ended(run.id(), run.number());
      } else {
        claims.note(run.id(), run.number());
      }
    }
    return lost;
  }

  private Set<Long> note(
      Connection connection, MemberId replica, List<RunProgress> notes, long[] open)
      throws SQLException {
    int count = notes.size();
    long[] ids = new long[count];
    int[] runs = new int[count];
    long[] started = new long[count];
    @Nullable Double[] progress = new @Nullable Double[count];
    @Nullable String[] doing = new @Nullable String[count];
    for (int i = 0; i < count; i++) {
      RunProgress each = notes.get(i);
      ids[i] = each.run().id().value();
      runs[i] = each.run().number();
      started[i] = JobColumns.micros(each.startedAt());
      progress[i] = each.progress();
      String text = each.doing();
      doing[i] = text == null ? null : JobColumns.text(text);
    }
    Set<Long> ended = new HashSet<>();
    Set<Long> byItself = new HashSet<>(); // its last words count
    try (PreparedStatement statement = connection.prepareStatement(note)) {
      statement.setObject(1, replica.value());
      JobColumns.set(statement, 2, ids);
      JobColumns.set(statement, 3, runs);
      JobColumns.set(statement, 4, started);
      statement.setArray(5, connection.createArrayOf("float8", progress));
      JobColumns.set(statement, 6, doing);
      JobColumns.set(statement, 7, open);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          (row.getBoolean(2) ? byItself : ended).add(row.getLong(1));
        }
      }
    }
    List<RunProgress> speaking = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean heard = byItself.contains(ids[i]) || (open[i] != NOT_OPEN && !ended.contains(ids[i]));
      if (heard && !notes.get(i).lines().isEmpty()) {
        speaking.add(notes.get(i));
      }
    }
    if (!speaking.isEmpty()) {
      write(connection, speaking);
    }
    ended.addAll(byItself);
    return ended;
  }

  private void write(Connection connection, List<RunProgress> notes) throws SQLException {
    int count = notes.stream().mapToInt(each -> each.lines().size()).sum();
    long[] ids = new long[count];
    long[] times = new long[count];
    String[] texts = new String[count];
    int row = 0;
    for (RunProgress each : notes) {
      for (Job.LogLine line : each.lines()) {
        ids[row] = each.run().id().value();
        times[row] = JobColumns.micros(line.at());
        texts[row] = JobColumns.text(line.text());
        row++;
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(lines)) {
      JobColumns.set(statement, 1, ids);
      JobColumns.set(statement, 2, times);
      JobColumns.set(statement, 3, texts);
      statement.executeUpdate();
    }
  }
}
