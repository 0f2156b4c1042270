package dev.monotick.chaos.check;

import dev.monotick.leader.Fence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the ledger, read by SQL and not by the product.
 *
 * @param task name of the task
 * @param first nominal time of the tick, or of the first of a range
 * @param last nominal time of the last of the range
 * @param count how many ticks it stands for
 * @param status {@code WAITING}, {@code RUNNING} or {@code ENDED}
 * @param outcome how it ended, null until then
 * @param attempt how often it was claimed
 * @param fence the fence it was claimed under, null if none
 * @param reason why it was skipped, null if it was not
 * @param startedAt when its body was started, null if it was not
 * @param endedAt when it ended, null until then
 */
public record LedgerRow(
    String task,
    Instant first,
    Instant last,
    long count,
    String status,
    @Nullable String outcome,
    int attempt,
    @Nullable Fence fence,
    @Nullable String reason,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {

  /** Returns all rows of the schedule's ticks, by task and time. */
  public static List<LedgerRow> read(Connection connection, String schema) throws SQLException {
    List<LedgerRow> rows = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement(
                "select task, nominal, last_nominal, count, status, outcome, attempt,"
                    + " fence_timeline, fence_epoch, reason, started_at, ended_at from \""
                    + schema
                    + "\".tick where trigger_key = '' order by task, nominal");
        ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        long timeline = found.getLong("fence_timeline");
        Fence fence = found.wasNull() ? null : new Fence(timeline, found.getLong("fence_epoch"));
        rows.add(
            new LedgerRow(
                found.getString("task"),
                found.getObject("nominal", OffsetDateTime.class).toInstant(),
                found.getObject("last_nominal", OffsetDateTime.class).toInstant(),
                found.getLong("count"),
                found.getString("status"),
                found.getString("outcome"),
                found.getInt("attempt"),
                fence,
                found.getString("reason"),
                instant(found, "started_at"),
                instant(found, "ended_at")));
      }
    }
    return rows;
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  boolean isEnded() {
    return status.equals("ENDED") && outcome != null;
  }
}
