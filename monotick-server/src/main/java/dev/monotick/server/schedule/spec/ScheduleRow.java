package dev.monotick.server.schedule.spec;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

/**
 * What firing needs of a schedule's row.
 *
 * @param id its name for good
 * @param spec as JSON
 * @param enabled whether it is due at all
 * @param nextAt nominal time of its next tick
 * @param notBefore end of a backoff
 * @param pausedUntil end of a pause; the far future if it has none
 * @param refusals ticks in a row that became no job
 * @param fence grows with everybody who takes it to make ticks of it
 */
public record ScheduleRow(
    UUID id,
    String tenant,
    String name,
    long version,
    String spec,
    boolean enabled,
    Optional<Instant> nextAt,
    Optional<Instant> notBefore,
    Optional<Instant> pausedUntil,
    int refusals,
    long fence) {

  /** What a statement selects, from a table called s. */
  public static final String COLUMNS =
      " s.id, s.tenant, s.name, s.version, s.spec::text as spec, s.enabled, s.next_at,"
          + " s.not_before, s.paused_until, s.refusals, s.fence ";

  public static ScheduleRow read(ResultSet row) throws SQLException {
    return new ScheduleRow(
        row.getObject("id", UUID.class),
        row.getString("tenant"),
        row.getString("name"),
        row.getLong("version"),
        row.getString("spec"),
        row.getBoolean("enabled"),
        time(row, "next_at"),
        time(row, "not_before"),
        time(row, "paused_until"),
        row.getInt("refusals"),
        row.getLong("fence"));
  }

  public static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  /** What ticks carry that are made of it now, by whoever has it locked. */
  public long nextFence() {
    return fence + 1;
  }

  /** Says whether somebody must end its pause. */
  public boolean isPausedForGood() {
    return pausedUntil.isPresent() && pausedUntil.get().isAfter(FAR);
  }

  /** The subject of what is recorded about it. */
  public String subject() {
    return "schedule/" + id;
  }

  private static final Instant FAR = Instant.parse("9999-01-01T00:00:00Z");
}
