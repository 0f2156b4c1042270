package dev.monotick.postgres.notice;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * What {@code pg_notify} is to be given.
 *
 * @param channel its first argument
 * @param payload its second; at most some hundred characters
 */
public record Notice(String channel, String payload) {

  /** Sends it when the connection's transaction commits, at once if there is none. */
  public void send(Connection connection) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
      notify.setString(1, channel);
      notify.setString(2, payload);
      notify.execute();
    }
  }
}
