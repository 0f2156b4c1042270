package dev.monotick.postgres;

import dev.monotick.postgres.ledger.TickSignals;
import dev.monotick.postgres.notify.Notifications;
import java.sql.Connection;
import java.sql.SQLException;

/** Tells replicas of waiting ticks by a notice. */
final class NotificationTickSignals implements TickSignals {

  private static final String KIND = "waiting";

  private final Notifications notifications;

  NotificationTickSignals(Notifications notices) {
    this.notifications = notices;
  }

  @Override
  public void signal(Connection connection) throws SQLException {
    notifications.send(connection, KIND, "");
  }

  @Override
  public void listen(Runnable listener) {
    notifications.listen(KIND, detail -> listener.run());
  }
}
