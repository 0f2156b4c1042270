package dev.monotick.postgres.job.notify;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.handoff.HandoffChannel;
import dev.monotick.postgres.job.handoff.HandoffNotification;
import dev.monotick.postgres.notify.Notification;
import dev.monotick.postgres.notify.NotificationThread;
import dev.monotick.spi.job.JobSignals;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for notifications of new jobs, in a session of its own: not in the one that holds the
 * presence lock, since an error ends the session it happens in. A second channel brings
 * notifications of jobs that were handed off. On that channel it also notifies itself when nothing
 * came for a while, so that replicas poll rarely only as long as notifications are known to arrive.
 *
 * <p>Thread-safe.
 */
public final class JobNotificationListener implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobNotificationListener.class);

  /** What a vanished server does not tell is found at the next look, which is sooner. */
  private static final Duration QUIET = Duration.ofSeconds(30);

  private static final int LONGEST_TEXT = 1_000;

  /** Among queues: some of the jobs are for later. No queue has this name. */
  private static final String LATER = "~";

  /** What is told to oneself; no hand-over. */
  private static final String PROBE = "probe";

  private final String channel;
  private final HandoffChannel own;
  private final BiConsumer<HandoffNotification, Connection> handoffs;
  private final Runnable someAreLater;
  private final Duration quiet;
  private final List<JobSignals> listeners = new CopyOnWriteArrayList<>();
  private final NotificationThread thread;
  private boolean opened; // guarded by this
  private volatile boolean hears = true; // until somebody listens, nobody misses anything

  /**
   * Creates one.
   *
   * @param handoffs takes notifications of jobs that were handed off, with the connection that
   *     brought them
   * @param someAreLater told when others add jobs for later, before anybody is told of them
   */
  public JobNotificationListener(
      Database database,
      HandoffChannel own,
      BiConsumer<HandoffNotification, Connection> handoffs,
      Runnable someAreLater) {
    this(database, own, handoffs, someAreLater, QUIET);
  }

  /**
   * Creates one.
   *
   * @param quiet how long nothing may come before it is seen whether notices arrive
   */
  JobNotificationListener(
      Database database,
      HandoffChannel own,
      BiConsumer<HandoffNotification, Connection> handoffs,
      Runnable someAreLater,
      Duration quiet) {
    this.channel = "monotick_" + database.schema().text() + ".jobs";
    this.own = own;
    this.handoffs = handoffs;
    this.someAreLater = someAreLater;
    this.quiet = quiet;
    this.thread =
        new NotificationThread(
            database, () -> List.of(channel, own.name()), "jobs", new SessionOwner());
  }

  void add(JobSignals listener) {
    listeners.add(listener);
  }

  /** Begins to listen, in the background. */
  synchronized void open() {
    if (!opened) {
      opened = true;
      hears = false;
      thread.start();
    }
  }

  /** Says whether notices arrive, as far as is known. */
  boolean hears() {
    return hears;
  }

  /**
   * Returns a notice of new jobs.
   *
   * @param queues where; none stand for all
   * @param later whether some may be for later, or due earlier than was known
   */
  Notification notify(Collection<String> queues, boolean later) {
    String text = String.join(",", queues) + (later && !queues.isEmpty() ? "," + LATER : "");
    return new Notification(channel, text.length() > LONGEST_TEXT ? "" : text);
  }

  /** Tells of new jobs that were not heard of by notice. */
  void notifyListeners(Set<String> queues) {
    for (JobSignals listener : listeners) {
      try {
        listener.ready(queues);
      } catch (RuntimeException e) {
        log.error("a listener failed; the others are still notified", e);
      }
    }
  }

  /**
   * Drops the session and listens in a new one, on another channel of its own: what was sent to the
   * old one, and may still be on its way, is never heard.
   */
  void renew() {
    own.rename();
    thread.reopen();
  }

  @Override
  public void close() {
    thread.close();
  }

  /** What the thread tells. */
  private final class SessionOwner implements NotificationThread.Owner {

    @Override
    public void opened() {
      hears = true;
      own.listening(true);
      notifyListeners(Set.of()); // what was not heard
    }

    @Override
    public void received(Connection connection, Notification notice) {
      if (notice.channel().equals(own.name())) {
        HandoffNotification given = HandoffNotification.parse(notice.payload());
        if (given != null) {
          handoffs.accept(given, connection);
        }
        return;
      }
      if (notice.payload().isEmpty() || notice.payload().endsWith(LATER)) {
        someAreLater.run(); // else it would be found a second later, or at the next poll
      }
      notifyListeners(queues(notice.payload()));
    }

    /** No names stand for all queues. */
    private static Set<String> queues(String payload) {
      return Stream.of(payload.split(","))
          .filter(part -> !part.isEmpty() && !part.equals(LATER))
          .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Duration patience() {
      return quiet;
    }

    @Override
    public Optional<Notification> probe() {
      return Optional.of(new Notification(own.name(), PROBE));
    }

    @Override
    public void broke(boolean again) {
      hears = false;
      own.listening(false);
    }
  }
}
