package dev.monotick.postgres.notice;

import dev.monotick.event.Subscription;
import dev.monotick.postgres.replica.Presence;
import dev.monotick.replica.ReplicaId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Hints between the replicas of a store, so that they need not wait for the next poll. They may get
 * lost: nothing is right only because a hint arrived. Thread-safe.
 *
 * <p>The session that listens also holds the locks that show which replicas live in this process:
 * the end of a process frees them at once, whoever is left to notice. A process that merely hangs
 * keeps them.
 */
public interface Notices extends Presence, AutoCloseable {

  /** Returns notices that are never sent and never arrive, for where sessions cannot be kept. */
  static Notices none() {
    return NoNotices.INSTANCE;
  }

  /**
   * Has a listener told of each notice of that kind, with its detail; with nothing, if notices may
   * have been missed. Listeners are told one after the other and must not block.
   */
  Subscription listen(String kind, Consumer<Optional<String>> listener);

  /**
   * Sends a notice when the connection's transaction commits, at once if there is none.
   *
   * @param kind letters, to be filtered by
   * @param detail at most some hundred characters
   */
  void send(Connection connection, String kind, String detail) throws SQLException;

  /** Says whether the server is known to hold the replica's lock for the session that listens. */
  boolean isPresent(ReplicaId replica);

  /** Ends it: listeners are told no more, and presence locks are free. */
  @Override
  void close();
}
