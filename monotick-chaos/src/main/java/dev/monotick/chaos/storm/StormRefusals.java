package dev.monotick.chaos.storm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Has the server refuse completions for a moment, with an SQL error of each class by which it says
 * that sending them again may be of no use: a missing privilege, a value out of range, a violated
 * check, a feature that is not there, a missing schema. What handlers did must be on record all the
 * same, when completions are accepted again. One thread.
 */
final class StormRefusals {

  private static final List<String> STATES = List.of("42501", "22003", "23514", "0A000", "3F000");

  private final Connection connection;
  private final SplittableRandom random;
  private long next = System.nanoTime() + millis(9_000);
  private boolean refusing;
  private int count;

  /**
   * Creates one.
   *
   * @param connection in autocommit
   */
  StormRefusals(Connection connection, SplittableRandom random) {
    this.connection = connection;
    this.random = random;
  }

  /** Returns how often it had completions refused. */
  int count() {
    return count;
  }

  /** Does what is due. */
  void step() throws SQLException {
    if (System.nanoTime() - next < 0) {
      return;
    }
    if (refusing) {
      end();
      next = System.nanoTime() + millis(6_000 + random.nextLong(8_000));
      return;
    }
    try (PreparedStatement insert =
        connection.prepareStatement("insert into watch.refusal (state) values (?)")) {
      insert.setString(1, STATES.get(count % STATES.size()));
      insert.executeUpdate();
    }
    refusing = true;
    count++;
    next = System.nanoTime() + millis(200 + random.nextLong(800));
  }

  /** Has all accepted. */
  void end() throws SQLException {
    if (!refusing) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("delete from watch.refusal");
    }
    refusing = false;
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
