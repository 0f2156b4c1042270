package dev.monotick.chaos.storm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Makes the server refuse completions for a moment, with an SQL error of each class by which it
 * says that sending them again may be of no use: a missing privilege, a value out of range, a
 * violated check, a feature that is not there, a missing schema. What handlers did must be on
 * record all the same, when completions are accepted again. One thread.
 *
 * <p>A refused statement is rolled back, and so is whatever it writes. A sequence is not: the
 * refusing function counts by sequences how often each error was raised.
 */
final class StormRefusals {

  /** One of each class: 42, 22, 23, 0A, 3F. */
  static final List<String> STATES = List.of("42501", "22003", "23514", "0A000", "3F000");

  private static final long FIRST_MILLIS = 3_000;

  private final Connection connection;
  private final List<String> states;
  private final SplittableRandom random;
  private long next = System.nanoTime() + millis(FIRST_MILLIS);
  private boolean refusing;
  private int exchange; // which state is next

  /**
   * Creates one.
   *
   * @param connection in autocommit
   * @param states the errors to raise, in turn
   */
  StormRefusals(Connection connection, List<String> states, SplittableRandom random) {
    this.connection = connection;
    this.states = states;
    this.random = random;
  }

  /** Returns whether each error refused something. */
  boolean isDone() {
    return exchange >= states.size();
  }

  /** Does what is due. */
  void step() throws SQLException {
    if (System.nanoTime() - next < 0) {
      return;
    }
    String state = states.get(exchange % states.size());
    if (refusing) {
      end();
      if (struck(connection, state) > 0) {
        exchange++;
      }
      next = System.nanoTime() + millis(pauseMillis());
      return;
    }
    try (PreparedStatement insert =
        connection.prepareStatement("insert into watch.refusal (state) values (?)")) {
      insert.setString(1, state);
      insert.executeUpdate();
    }
    refusing = true;
    next = System.nanoTime() + millis(200 + random.nextLong(800));
  }

  /** Short until each error was raised, then long. */
  private long pauseMillis() {
    return isDone() ? 6_000 + random.nextLong(8_000) : 500 + random.nextLong(1_500);
  }

  /** Makes the server accept all completions. */
  void end() throws SQLException {
    if (!refusing) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("delete from watch.refusal");
    }
    refusing = false;
  }

  /** Returns how often completions were refused by each error that was wanted. */
  Map<String, Long> struck() throws SQLException {
    Map<String, Long> struck = new LinkedHashMap<>();
    for (String state : states) {
      struck.put(state, struck(connection, state));
    }
    return struck;
  }

  private static long struck(Connection connection, String state) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select case when is_called then last_value else 0 end from watch.refused_"
                    + state.toLowerCase(Locale.ROOT))) {
      row.next();
      return row.getLong(1);
    }
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
