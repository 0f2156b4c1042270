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
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of new jobs on a channel of their own, in a session that claims them right away where a
 * replica waits for some: the server's process that just woke to tell us is the one that is
 * quickest to give them. Not the session that holds the presence lock, since what goes wrong with a
 * turn ends the session it was made in.
 *
 * <p>Thread-safe.
 */
final class JobEar implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobEar.class);

  /** What a vanished server does not tell is found at the next look, which is sooner. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  private static final int LONGEST_TEXT = 1_000;

  private final String channel;
  private final BiFunction<JobTurn, Connection, JobTurnReply> turns;
  private final List<ReadyListener> listeners = new CopyOnWriteArrayList<>();
  private final NoticeThread thread;
  private boolean opened; // guarded by this
  private volatile boolean hears = true; // until somebody listens, nobody misses anything

  JobEar(Database database, BiFunction<JobTurn, Connection, JobTurnReply> turns) {
    this.channel = "monotick_" + database.schema().text() + ".jobs";
    this.turns = turns;
    this.thread = new NoticeThread(database, channel, "jobs", new Heard());
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

  /** Returns a notice of new jobs in these queues. */
  Notice notice(Collection<String> queues) {
    String text = String.join(",", queues);
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

  @Override
  public void close() {
    thread.close();
  }

  /** What the thread tells. */
  private final class Heard implements NoticeThread.Owner {

    @Override
    public void opened() {
      hears = true;
      tell(Set.of()); // what was not heard
    }

    /** No names stand for all queues. */
    @Override
    public void heard(Connection connection, String payload) {
      Set<String> queues =
          Stream.of(payload.split(","))
              .filter(part -> !part.isEmpty())
              .collect(Collectors.toUnmodifiableSet());
      tellEach(listener -> listener.ready(queues, turn -> turns.apply(turn, connection)));
    }

    @Override
    public Duration patience() {
      return QUIET;
    }

    @Override
    public void broke(boolean again) {
      hears = false;
    }
  }
}
