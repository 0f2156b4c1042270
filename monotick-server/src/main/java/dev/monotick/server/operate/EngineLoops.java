package dev.monotick.server.operate;

import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The loops inside the engine. They are no tasks: nothing pauses or triggers one of them alone, and
 * the engine counts no ticks of them. What is told of them is what the database shows they have
 * done and have yet to do.
 */
@Component
class EngineLoops {

  /** How often jobs that are due are looked for at the least. The engine's own, as all of these. */
  private static final String RELEASE = "@every 1s";

  private static final String RESCUE = "@every 1m";
  private static final String SUMS = "@every 10s";
  private static final String MAINTENANCE = "@every 1h";
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final int MOST_COUNTED = 10_000;

  private static final Set<String> NAMES =
      Set.of(
          "engine-job-release",
          "engine-job-expiry",
          "engine-job-rescue",
          "engine-heartbeat",
          "engine-job-sums",
          "engine-maintenance");

  private final Sql sql;

  /**
   * A loop.
   *
   * @param policy when and by whom
   * @param does what it is for
   * @param lastAt when it was last seen to have done something; null if that cannot be told
   * @param figures what it has yet to do, and what is known beside
   */
  record Loop(
      ReplicaView.Policy policy,
      String does,
      @Nullable Instant lastAt,
      Map<String, Object> figures) {}

  EngineLoops(Sql sql) {
    this.sql = sql;
  }

  /** Says whether it is the name of one. */
  static boolean isOne(String name) {
    return NAMES.contains(name);
  }

  List<Loop> all() {
    return List.of(release(), expiry(), rescue(), heartbeat(), sums(), maintenance());
  }

  private Loop release() {
    return new Loop(
        policy("engine-job-release", RELEASE, "SHARED"),
        "makes jobs ready whose time has come: scheduled ones, and those to be tried again; sooner"
            + " if one is known to be due",
        null,
        backlog("select due_at as at from @@job_delayed"));
  }

  private Loop expiry() {
    return new Loop(
        policy("engine-job-expiry", RELEASE, "SHARED"),
        "expires jobs whose approval is overdue or whose deadline passed while they waited",
        null,
        backlog("select at from @@job_expiry"));
  }

  /** How many are due and not seen to, and when the next is. */
  private Map<String, Object> backlog(String rows) {
    return sql.of(
            """
            select (select count(*) from (select from (%1$s) a where a.at <= now() limit :most) b)
                     as overdue,
                   (select min(a.at) from (%1$s) a) as next
            """
                .formatted(rows))
        .param("most", MOST_COUNTED)
        .query(
            (row, number) -> {
              Map<String, Object> figures = new LinkedHashMap<>();
              figures.put("overdue", row.getLong("overdue"));
              time(row, "next").ifPresent(at -> figures.put("nextDueAt", at.toString()));
              return figures;
            })
        .single();
  }

  private Loop rescue() {
    Map<String, Object> figures = new LinkedHashMap<>();
    Optional<Instant> last =
        sql.of(
                """
                select at, detail::jsonb ->> 'runs' as runs, detail::jsonb ->> 'replica' as replica
                  from @audit_event
                 where tenant = :tenant and action = 'jobs_rescued'
                   and seq > (select c.seq from @audit_chain c where c.tenant = :tenant) - :most
                 order by seq desc limit 1
                """)
            .param("tenant", AuditEntry.INSTALLATION)
            .param("most", MOST_COUNTED)
            .query(
                (row, number) -> {
                  figures.put("lastRuns", row.getString("runs"));
                  figures.put("lastReplica", row.getString("replica"));
                  return time(row, "at").orElseThrow();
                })
            .optional();
    return new Loop(
        policy("engine-job-rescue", RESCUE, "SHARED"),
        "gives back jobs that replicas left which are gone; at once when one is seen to go",
        last.orElse(null),
        figures);
  }

  private Loop heartbeat() {
    Map<String, Object> figures = new LinkedHashMap<>();
    Optional<Instant> last =
        sql.of(
                """
                select max(heartbeat_at) as last, count(*) as replicas,
                       (extract(epoch from now() - min(heartbeat_at)) * 1000)::bigint as oldest
                  from @@replica where gone_at is null
                """)
            .query(
                (row, number) -> {
                  figures.put("replicas", row.getLong("replicas"));
                  figures.put("oldestMillis", row.getLong("oldest"));
                  return time(row, "last");
                })
            .single();
    return new Loop(
        policy("engine-heartbeat", "by its lease", "EVERY_REPLICA"),
        "proves that a replica lives, and sees who does not",
        last.orElse(null),
        figures);
  }

  private Loop sums() {
    long rows =
        sql.of("select count(*) from (select from @@job_count_delta limit :most) d")
            .param("most", MOST_COUNTED)
            .query((row, number) -> row.getLong(1))
            .single();
    return new Loop(
        policy("engine-job-sums", SUMS, "EVERY_REPLICA"),
        "sums up changes of the counts of jobs",
        null,
        Map.of("rows", rows));
  }

  private static Loop maintenance() {
    return new Loop(
        policy("engine-maintenance", MAINTENANCE, "EVERY_REPLICA"),
        "makes the coming days' partitions and drops those of days that are no longer kept",
        null,
        Map.of());
  }

  private static ReplicaView.Policy policy(String name, String schedule, String mode) {
    return new ReplicaView.Policy(
        name, schedule, mode, "TRANSACTIONAL", "", "SKIP", "NONE", LONGEST);
  }

  private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }
}
