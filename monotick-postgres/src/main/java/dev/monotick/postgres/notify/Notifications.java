package dev.monotick.postgres.notify;

import dev.monotick.event.EventListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Hints between the replicas of a store, so that they need not wait for the next poll. They may get
 * lost: nothing is right only because a hint arrived. Thread-safe.
 *
 * <p>The session that listens also holds a lock that shows that this process lives: its end frees
 * the lock at once, whoever is left to notice. A process that merely hangs keeps it.
 */
public interface Notifications extends AutoCloseable {

  /** Returns notices that are never sent and never arrive, for where sessions cannot be kept. */
  static Notifications none() {
    return NoNotifications.INSTANCE;
  }

  /**
   * Has a listener told of each notice of that kind, with its detail; with nothing, if notices may
   * have been missed. Listeners are told one after the other and must not block.
   */
  EventListener.Subscription listen(String kind, Consumer<Optional<String>> listener);

  /**
   * Sends a notice when the connection's transaction commits, at once if there is none.
   *
   * @param kind letters, to be filtered by
   * @param detail at most some hundred characters
   */
  void send(Connection connection, String kind, String detail) throws SQLException;

  /** Has a listener told whenever the session that listens broke: others may have, too. */
  EventListener.Subscription whenLost(Runnable listener);

  /** Returns the key of the lock that shows that this process lives; empty if there is none. */
  OptionalLong presenceKey();

  /** Says whether that lock was held when the server was last heard of. */
  boolean isPresent();

  /** Ends it: listeners are told no more, and the presence lock is free. */
  @Override
  void close();
}
