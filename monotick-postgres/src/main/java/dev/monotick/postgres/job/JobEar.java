package dev.monotick.postgres.job;

import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.notice.Notice;
import dev.monotick.postgres.notice.NoticeThread;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of new jobs on a channel of their own, in a session that claims them right away where a
 * replica waits for some: the server's process that just woke to tell us is the one that is
 * quickest to give them. Not the session that holds the presence lock, since what goes wrong with a
 * turn ends the session it was made in. On another channel it hears of jobs that are a replica's
 * already; and there it tells itself something when nothing came for a while, so that replicas look
 * seldom only as long as notices are known to arrive.
 *
 * <p>Thread-safe.
 */
final class JobEar implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobEar.class);

  /** What a vanished server does not tell is found at the next look, which is sooner. */
  private static final Duration QUIET = Duration.ofSeconds(30);

  private static final int LONGEST_TEXT = 1_000;

  /** Among queues: some of the jobs are for later. No queue has this name. */
  private static final String LATER = "~";

  /** What is told to oneself; no hand-over. */
  private static final String PROBE = "probe";

  private final String channel;
  private final OwnChannel own;
  private final Turner turner;
  private final Runnable someAreLater;
  private final Duration quiet;
  private final List<ReadyListener> listeners = new CopyOnWriteArrayList<>();
  private final NoticeThread thread;
  private boolean opened; // guarded by this
  private volatile boolean hears = true; // until somebody listens, nobody misses anything

  /** Makes turns on a connection that is open. */
  interface Turner {

    /**
     * Makes a turn.
     *
     * @param given the notice of a job that was handed to a replica; null for none
     */
    JobTurnReply turn(JobTurn turn, Connection connection, @Nullable HandOver given);
  }

  /**
   * Creates one.
   *
   * @param someAreLater told when others add jobs for later, before anybody is told of them
   */
  JobEar(Database database, OwnChannel own, Turner turner, Runnable someAreLater) {
    this(database, own, turner, someAreLater, QUIET);
  }

  /**
   * Creates one.
   *
   * @param quiet how long nothing may come before it is seen whether notices arrive
   */
  JobEar(Database database, OwnChannel own, Turner turner, Runnable someAreLater, Duration quiet) {
    this.channel = "monotick_" + database.schema().text() + ".jobs";
    this.own = own;
    this.turner = turner;
    this.someAreLater = someAreLater;
    this.quiet = quiet;
    this.thread =
        new NoticeThread(database, () -> List.of(channel, own.name()), "jobs", new Heard());
  }

  void add(ReadyListener listener) {
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
  Notice notice(Collection<String> queues, boolean later) {
    String text = String.join(",", queues) + (later && !queues.isEmpty() ? "," + LATER : "");
    return new Notice(channel, text.length() > LONGEST_TEXT ? "" : text);
  }

  /** Tells of new jobs that were not heard of by notice. */
  void tell(Set<String> queues) {
    tellEach(listener -> listener.ready(queues));
  }

  private void tellEach(Consumer<ReadyListener> how) {
    for (ReadyListener listener : listeners) {
      try {
        how.accept(listener);
      } catch (RuntimeException e) {
        log.error("a listener failed, others are told all the same", e);
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
  private final class Heard implements NoticeThread.Owner {

    @Override
    public void opened() {
      hears = true;
      own.heard(true);
      tell(Set.of()); // what was not heard
    }

    @Override
    public void heard(Connection connection, Notice notice) {
      boolean isOwn = notice.channel().equals(own.name());
      if (!isOwn && (notice.payload().isEmpty() || notice.payload().endsWith(LATER))) {
        someAreLater.run(); // else it would be found a second later, or at the next look
      }
      HandOver given = isOwn ? HandOver.parse(notice.payload()) : null;
      Set<String> queues = isOwn ? Set.of() : queues(notice.payload());
      tellEach(listener -> listener.ready(queues, turn -> turner.turn(turn, connection, given)));
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
    public Optional<Notice> probe() {
      return Optional.of(new Notice(own.name(), PROBE));
    }

    @Override
    public void broke(boolean again) {
      hears = false;
      own.heard(false);
    }
  }
}
