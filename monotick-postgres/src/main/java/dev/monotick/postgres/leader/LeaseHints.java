package dev.monotick.postgres.leader;

import dev.monotick.event.Subscription;
import dev.monotick.postgres.notice.Notices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What a candidate hears about its group between its calls. Thread-safe. */
final class LeaseHints implements AutoCloseable {

  private static final String FREED = "freed";

  private final Notices notices;
  private final String group;
  private final List<Subscription> subscriptions = new ArrayList<>(); // guarded by this

  LeaseHints(Notices notices, String group) {
    this.notices = notices;
    this.group = group;
  }

  /** Has the listener told when somebody released the group's lease. */
  synchronized void whenFreed(Runnable listener) {
    subscriptions.add(
        notices.listen(
            FREED,
            detail -> {
              if (detail.isEmpty() || detail.get().equals(group)) {
                listener.run();
              }
            }));
  }

  /** Has the listener told when another session of this process broke. */
  synchronized void whenSessionsBreak(Runnable listener) {
    subscriptions.add(notices.whenLost(listener));
  }

  /** Tells the others that the lease was released. */
  void freed(Connection connection) throws SQLException {
    notices.send(connection, FREED, group);
  }

  @Override
  public synchronized void close() {
    subscriptions.forEach(Subscription::close);
    subscriptions.clear();
  }
}
