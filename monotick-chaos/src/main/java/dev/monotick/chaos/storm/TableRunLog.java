package dev.monotick.chaos.storm;

import dev.monotick.chaos.workload.PlannedJobKinds;
import dev.monotick.chaos.workload.RunLog;
import dev.monotick.job.JobContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes into a table, each word in a transaction of its own. It writes on threads of its own, so
 * that handlers may be interrupted as they like. Thread-safe.
 */
final class TableRunLog implements RunLog {

  private static final int WRITERS = 4;

  /** A word that cannot be written would look as if the engine had been wrong. */
  private static final int NO_LOG = 4;

  private static final String INSERT =
      "insert into watch.run (job, run, attempt, replica, kind, key, word, begun_at)"
          + " values (?, ?, ?, ?, ?, ?, ?, ?)";

  private final DataSource dataSource;
  private final ThreadLocal<PreparedStatement> statements;
  private final ExecutorService writers;

  TableRunLog(DataSource dataSource) {
    this.dataSource = dataSource;
    this.statements = ThreadLocal.withInitial(this::prepare);
    this.writers =
        Executors.newFixedThreadPool(
            WRITERS,
            task -> {
              Thread thread = new Thread(task, "run-log");
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void begin(JobContext<String> job) {
    // Read here: the row may be written much later. The server is on the same machine.
    OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
    await(writers.submit(() -> insert(job, "begin", now)));
  }

  @Override
  public void write(JobContext<String> job, String word) {
    await(writers.submit(() -> insert(job, word, null)));
  }

  private static void await(Future<?> written) {
    boolean interrupted = false;
    while (true) {
      try {
        written.get();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        e.printStackTrace();
        Runtime.getRuntime().halt(NO_LOG);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void insert(JobContext<String> job, String word, @Nullable OffsetDateTime begunAt) {
    try {
      PreparedStatement statement = statements.get();
      statement.setLong(1, job.id().value());
      statement.setInt(2, job.run());
      statement.setInt(3, job.attempt());
      statement.setString(4, job.replica());
      statement.setString(5, job.lane().kind());
      statement.setString(6, job.headers().get(PlannedJobKinds.KEY));
      statement.setString(7, word);
      statement.setObject(8, begunAt);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException("cannot write down " + word + " of job " + job.id(), e);
    }
  }

  private PreparedStatement prepare() {
    try {
      Connection connection = dataSource.getConnection();
      try (Statement statement = connection.createStatement()) {
        // The server does not crash here, and the log should not be what takes the time.
        statement.execute("set synchronous_commit = off");
      }
      return connection.prepareStatement(INSERT);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot write down what jobs do", e);
    }
  }
}
