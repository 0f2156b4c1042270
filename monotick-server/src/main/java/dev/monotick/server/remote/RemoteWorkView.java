package dev.monotick.server.remote;

import dev.monotick.job.JobId;
import dev.monotick.server.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Tells where work of a job goes on that is not done by the server itself. */
@Component
public class RemoteWorkView {

  private final Sql sql;

  /**
   * What is known of it.
   *
   * @param id its name
   * @param kind CALLBACK or AGENT
   * @param state WAITING, LEASED, DONE, FAILED or CANCELLED
   * @param attempt which attempt at the job it is
   * @param wantedAgent the only agent that may take it
   * @param agent the agent that has it, or had it last
   * @param leaseUntil how long that agent has it unless it says more
   * @param dueAt when the attempt has failed
   * @param progress from 0 to 1
   * @param doing what is being done
   * @param losses agents that were lost with it
   * @param error why it failed
   * @param createdAt when it was begun
   * @param endedAt when it ended
   */
  public record Seen(
      String id,
      String kind,
      String state,
      int attempt,
      Optional<String> wantedAgent,
      Optional<String> agent,
      Optional<Instant> leaseUntil,
      Instant dueAt,
      Optional<Double> progress,
      Optional<String> doing,
      int losses,
      Optional<String> error,
      Instant createdAt,
      Optional<Instant> endedAt) {

    /** Says whether it goes on. */
    public boolean isOpen() {
      return state.equals("WAITING") || state.equals("LEASED");
    }
  }

  RemoteWorkView(Sql sql) {
    this.sql = sql;
  }

  /** Returns what was last begun elsewhere for a job; empty if nothing was. */
  public Optional<Seen> of(JobId job) {
    return sql.of("select * from @remote_work where job_id = :job order by created_at desc limit 1")
        .param("job", job.value())
        .query(RemoteWorkView::read)
        .optional();
  }

  private static Seen read(ResultSet row, int number) throws SQLException {
    double progress = row.getDouble("progress");
    boolean said = !row.wasNull();
    return new Seen(
        row.getString("id"),
        row.getString("kind"),
        row.getString("state"),
        row.getInt("attempt"),
        Optional.ofNullable(row.getString("wanted_agent")),
        Optional.ofNullable(row.getString("agent")),
        instant(row, "lease_until"),
        row.getTimestamp("due_at").toInstant(),
        said ? Optional.of(progress) : Optional.empty(),
        Optional.ofNullable(row.getString("doing")),
        row.getInt("losses"),
        Optional.ofNullable(row.getString("error")),
        row.getTimestamp("created_at").toInstant(),
        instant(row, "ended_at"));
  }

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }
}
