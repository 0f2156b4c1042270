package dev.monotick.postgres.notify;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * What {@code pg_notify} is given, and whoever listens gets.
 *
 * @param channel its first argument
 * @param payload its second; less than 8,000 bytes
 */
public record Notification(String channel, String payload) {

  /** Sends it when the connection's transaction commits, at once if there is none. */
  public void send(Connection connection) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
      notify.setString(1, channel);
      notify.setString(2, payload);
      notify.execute();
    }
  }
}
