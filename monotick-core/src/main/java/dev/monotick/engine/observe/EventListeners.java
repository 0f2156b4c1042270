package dev.monotick.engine.observe;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.leader.LeadershipListener.LossCause;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners, each on a thread of its own, so that none waits for another. Thread-safe. */
public final class EventListeners {

  private static final Logger log = LoggerFactory.getLogger(EventListeners.class);
  private static final int MOST_BEHIND = 10_000;

  private final EngineThreads threads;
  private final List<Seat<EventListener>> events = new CopyOnWriteArrayList<>();
  private final List<Seat<LeadershipListener>> leadership = new CopyOnWriteArrayList<>();

  public EventListeners(EngineThreads threads) {
    this.threads = threads;
  }

  boolean any() {
    return !events.isEmpty();
  }

  public EventListener.Subscription add(EventListener listener) {
    return add(events, listener);
  }

  public EventListener.Subscription add(LeadershipListener listener) {
    return add(leadership, listener);
  }

  private <L> EventListener.Subscription add(List<Seat<L>> seats, L listener) {
    Seat<L> seat = new Seat<>(listener, threads.listenerExecutor("listener"));
    seats.add(seat);
    return () -> seats.remove(seat);
  }

  void publish(MonotickEvent event) {
    for (Seat<EventListener> seat : events) {
      seat.deliver(listener -> listener.on(event), true);
    }
  }

  /** Changes of leadership are few and matter: none is dropped. */
  void gained(HeldTerm term) {
    for (Seat<LeadershipListener> seat : leadership) {
      seat.deliver(listener -> listener.gained(term), false);
    }
  }

  void lost(HeldTerm term, LossCause cause) {
    for (Seat<LeadershipListener> seat : leadership) {
      seat.deliver(listener -> listener.lost(term, cause), false);
    }
  }

  private static final class Seat<L> {

    private final L listener;
    private final Executor executor;
    private final AtomicInteger behind = new AtomicInteger();
    private boolean dropping;

    Seat(L listener, Executor executor) {
      this.listener = listener;
      this.executor = executor;
    }

    /** Called on the loop. */
    void deliver(Consumer<L> what, boolean mayDrop) {
      if (mayDrop && behind.get() >= MOST_BEHIND) {
        if (!dropping) {
          dropping = true;
          log.warn(
              "listener is {} events behind, dropping events until it catches up listener={}",
              MOST_BEHIND,
              listener);
        }
        return;
      }
      dropping = false;
      behind.incrementAndGet();
      executor.execute(
          () -> {
            behind.decrementAndGet();
            try {
              what.accept(listener);
            } catch (Throwable e) { // an Error of a listener ends neither its thread nor its turn
              log.warn("listener failed listener={}", listener, e);
            }
          });
    }
  }
}
