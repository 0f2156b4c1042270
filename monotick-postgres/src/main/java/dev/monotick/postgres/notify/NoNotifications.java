package dev.monotick.postgres.notify;

import dev.monotick.event.EventListener;
import java.sql.Connection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Where there is no session to listen in, everybody polls. */
enum NoNotifications implements Notifications {
  INSTANCE;

  @Override
  public EventListener.Subscription listen(String kind, Consumer<Optional<String>> listener) {
    return () -> {};
  }

  @Override
  public void send(Connection connection, String kind, String detail) {}

  @Override
  public EventListener.Subscription whenLost(Runnable listener) {
    return () -> {};
  }

  @Override
  public OptionalLong presenceKey() {
    return OptionalLong.empty();
  }

  @Override
  public boolean isPresent() {
    return false;
  }

  @Override
  public void close() {}
}
