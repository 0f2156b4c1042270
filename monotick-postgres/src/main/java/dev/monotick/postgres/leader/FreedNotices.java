package dev.monotick.postgres.leader;

import dev.monotick.event.Subscription;
import dev.monotick.postgres.notice.Notices;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The notice that a group's lease was released. Thread-safe. */
final class FreedNotices implements AutoCloseable {

  private static final String KIND = "freed";

  private final Notices notices;
  private final String group;
  private @Nullable Subscription subscription; // guarded by this

  FreedNotices(Notices notices, String group) {
    this.notices = notices;
    this.group = group;
  }

  /** Has that listener told, and no other any more. */
  synchronized void listen(Runnable listener) {
    close();
    subscription =
        notices.listen(
            KIND,
            detail -> {
              if (detail.isEmpty() || detail.get().equals(group)) {
                listener.run();
              }
            });
  }

  void send(Connection connection) throws SQLException {
    notices.send(connection, KIND, group);
  }

  @Override
  public synchronized void close() {
    Subscription open = subscription;
    if (open != null) {
      subscription = null;
      open.close();
    }
  }
}
