package dev.monotick.postgres.job.notify;

import dev.monotick.job.JobId;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.notify.Notification;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.spi.job.JobSignals;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells replicas of new jobs, and of jobs that others ended: those of this process directly, the
 * others by a notice.
 *
 * <p>A notice is a commit of its own and makes all commits that notify wait for each other, so it
 * is sent by one thread in a transaction of its own, never in the application's. The first of a
 * burst leaves at once, with the commit of the job itself where that is ours; what comes while it
 * is under way, or shortly after it, leaves together. A commit of notices need not be durable: a
 * hint that a crash swallows is missed by nobody, since everybody looks anyway after one.
 *
 * <p>Thread-safe.
 */
public final class JobNotifier implements JobStoreSignals, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobNotifier.class);

  private static final String ENDED = "ended";
  private static final long PAUSE_MILLIS = 10;
  private static final int LONGEST_TEXT = 1_000;

  private final Notifications notifications;
  private final boolean sends;
  private final Database database;
  private final JobNotificationListener notificationListener;
  private final List<Consumer<Set<JobId>>> endedListeners = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor sender;
  private final Set<String> queues = new TreeSet<>(); // to be told; guarded by this
  private boolean allQueues; // to be told; guarded by this
  private boolean later; // some of them may be for later; guarded by this
  private final Set<JobId> ended = new TreeSet<>(); // to be told; guarded by this
  private boolean sending; // or pausing after that; guarded by this

  /**
   * Creates one.
   *
   * @param ear hears of new jobs; closed with this
   */
  public JobNotifier(Database database, Notifications notices, JobNotificationListener ear) {
    this.notifications = notices;
    this.notificationListener = ear;
    this.sends = notices.presenceKey().isPresent();
    this.database = database;
    this.sender =
        new ScheduledThreadPoolExecutor(
            1,
            action -> {
              Thread thread = new Thread(action, "monotick-wakes");
              thread.setDaemon(true);
              return thread;
            });
    sender.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    notices.listen(ENDED, this::endedNotified);
  }

  /** Says whether notices arrive, as far as is known. */
  public boolean arrive() {
    return sends && notifications.isPresent() && notificationListener.hears();
  }

  public void whenReady(JobSignals listener) {
    notificationListener.add(listener);
    if (sends) {
      notificationListener.open();
    }
  }

  /**
   * Drops what was sent to this process and is still on its way; see {@link
   * JobNotificationListener#renew}.
   */
  public void renew() {
    if (sends) {
      notificationListener.renew();
    }
  }

  public void whenEnded(Consumer<Set<JobId>> listener) {
    endedListeners.add(listener);
  }

  /** What is due, and when, may have changed. */
  @Override
  public void queuesReady(Collection<String> names) {
    queuesReady(names, true);
  }

  /**
   * Tells of new jobs.
   *
   * @param areLater whether some are for later
   */
  public void queuesReady(Collection<String> names, boolean areLater) {
    if (!names.isEmpty()) {
      send(names, areLater);
    }
  }

  /** Tells that any queue may have new jobs. */
  public void allQueuesReady() {
    send(Set.of(), true);
  }

  private void send(Collection<String> names, boolean areLater) {
    notificationListener.notifyListeners(Set.copyOf(names));
    if (sends) {
      synchronized (this) {
        queues.addAll(names);
        allQueues |= names.isEmpty();
        later |= areLater;
      }
      send();
    }
  }

  /**
   * Returns a notice of new jobs for the statement that adds them, unless others were told just
   * now: a job that comes alone is heard of sooner by a commit and two changes of threads. Whoever
   * gets one tells {@link #added} when it is done, others {@link #queuesReady(Collection,
   * boolean)}.
   */
  public Optional<Notification> lead(Collection<String> names, boolean areLater) {
    synchronized (this) {
      if (!sends || sending) {
        return Optional.empty();
      }
      sending = true;
    }
    sendLater(); // what comes meanwhile
    return Optional.of(notificationListener.notify(names, areLater));
  }

  /** Jobs were added, and others were told, by the notice of {@link #lead}. */
  public void added(Collection<String> names) {
    notificationListener.notifyListeners(Set.copyOf(names));
  }

  @Override
  public void jobsEnded(Collection<JobId> ids) {
    if (ids.isEmpty()) {
      return;
    }
    send(Set.copyOf(ids));
    if (sends) {
      synchronized (this) {
        ended.addAll(ids);
      }
      send();
    }
  }

  private synchronized void send() {
    if (!sending) {
      sending = true;
      try {
        sender.execute(this::sendAll);
      } catch (RejectedExecutionException e) {
        log.debug("the store is closed, others find new jobs when they look", e);
      }
    }
  }

  private void sendAll() {
    Optional<Notification> ready;
    List<JobId> over;
    synchronized (this) {
      ready =
          allQueues || !queues.isEmpty()
              ? Optional.of(notificationListener.notify(allQueues ? Set.of() : queues, later))
              : Optional.empty();
      over = List.copyOf(ended);
      queues.clear();
      allQueues = false;
      later = false;
      ended.clear();
      if (ready.isEmpty() && over.isEmpty()) {
        sending = false;
        return;
      }
    }
    try {
      boolean unused =
          database.withoutDurability(
              "telling of jobs", connection -> notify(connection, ready, over));
    } catch (RuntimeException e) { // it was a hint
      log.debug("others could not be told of jobs, they find them when they look", e);
    }
    sendLater();
  }

  private void sendLater() {
    try {
      ScheduledFuture<?> unused =
          sender.schedule(this::sendAll, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("closed while others were told of jobs", e);
    }
  }

  private boolean notify(Connection connection, Optional<Notification> ready, List<JobId> over)
      throws SQLException {
    if (ready.isPresent()) {
      ready.get().send(connection);
    }
    StringBuilder ids = new StringBuilder();
    for (JobId id : over) {
      if (ids.length() > LONGEST_TEXT) {
        notifications.send(connection, ENDED, ids.toString());
        ids.setLength(0);
      }
      ids.append(ids.length() == 0 ? "" : ",").append(id);
    }
    if (ids.length() > 0) {
      notifications.send(connection, ENDED, ids.toString());
    }
    return true;
  }

  private void endedNotified(Optional<String> detail) {
    Set<JobId> ids = new HashSet<>();
    Stream.of(detail.orElse("").split(","))
        .filter(text -> !text.isEmpty())
        .filter(text -> text.chars().allMatch(c -> c >= '0' && c <= '9') && text.length() < 19)
        .forEach(text -> ids.add(JobId.parse(text)));
    if (!ids.isEmpty()) {
      send(ids);
    }
  }

  private void send(Set<JobId> ids) {
    for (Consumer<Set<JobId>> listener : endedListeners) {
      try {
        listener.accept(ids);
      } catch (RuntimeException e) {
        log.error("a listener failed; the others are still notified", e);
      }
    }
  }

  @Override
  public void close() {
    sender.shutdownNow();
    notificationListener.close();
  }
}
