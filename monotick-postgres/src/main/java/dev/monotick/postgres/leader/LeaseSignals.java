package dev.monotick.postgres.leader;

import dev.monotick.event.EventListener;
import dev.monotick.postgres.notify.Notifications;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What a candidate hears about its group between its calls. Thread-safe. */
final class LeaseSignals implements AutoCloseable {

  private static final String FREED = "freed";

  private final Notifications notifications;
  private final String group;
  private final List<EventListener.Subscription> subscriptions =
      new ArrayList<>(); // guarded by this

  LeaseSignals(Notifications notices, String group) {
    this.notifications = notices;
    this.group = group;
  }

  /** Has the listener told when somebody released the group's lease. */
  synchronized void whenFreed(Runnable listener) {
    subscriptions.add(
        notifications.listen(
            FREED,
            detail -> {
              if (detail.isEmpty() || detail.get().equals(group)) {
                listener.run();
              }
            }));
  }

  /** Has the listener told when another session of this process broke. */
  synchronized void whenSessionsBreak(Runnable listener) {
    subscriptions.add(notifications.whenLost(listener));
  }

  /** Tells the others that the lease was released. */
  void freed(Connection connection) throws SQLException {
    notifications.send(connection, FREED, group);
  }

  @Override
  public synchronized void close() {
    subscriptions.forEach(EventListener.Subscription::close);
    subscriptions.clear();
  }
}
