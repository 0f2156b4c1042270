package dev.monotick.postgres.notify;

import dev.monotick.event.EventListener;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is told of which kind of notice. Thread-safe. */
final class NotificationListeners {

  private static final Logger log = LoggerFactory.getLogger(NotificationListeners.class);

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  /** Compared by identity: the same lambda may listen twice and be removed once. */
  private static final class Listener {

    private final String kind;
    private final Consumer<Optional<String>> action;

    Listener(String kind, Consumer<Optional<String>> action) {
      this.kind = kind;
      this.action = action;
    }
  }

  EventListener.Subscription add(String kind, Consumer<Optional<String>> action) {
    Listener listener = new Listener(kind, action);
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Tells those who listen for that kind. */
  void notify(String kind, String detail) {
    for (Listener listener : listeners) {
      if (listener.kind.equals(kind)) {
        notify(listener, Optional.of(detail));
      }
    }
  }

  /** Tells everybody that notices may have been missed. */
  void notifyOfGap() {
    listeners.forEach(listener -> notify(listener, Optional.empty()));
  }

  private static void notify(Listener listener, Optional<String> detail) {
    try {
      listener.action.accept(detail);
    } catch (RuntimeException e) {
      log.error("a listener failed; the others are still notified kind={}", listener.kind, e);
    }
  }
}
