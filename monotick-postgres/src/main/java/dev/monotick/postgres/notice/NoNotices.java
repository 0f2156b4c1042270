package dev.monotick.postgres.notice;

import dev.monotick.event.Subscription;
import dev.monotick.replica.ReplicaId;
import java.sql.Connection;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where there is no session to listen in, everybody polls. */
enum NoNotices implements Notices {
  INSTANCE;

  @Override
  public Subscription listen(String kind, Consumer<Optional<String>> listener) {
    return () -> {};
  }

  @Override
  public void send(Connection connection, String kind, String detail) {}

  @Override
  public @Nullable Long enter(ReplicaId replica) {
    return null;
  }

  @Override
  public void leave(ReplicaId replica) {}

  @Override
  public boolean isPresent(ReplicaId replica) {
    return false;
  }

  @Override
  public void close() {}
}
