package dev.monotick.chaos.storm;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.workload.JobPlanOrder;
import dev.monotick.chaos.workload.PlannedJobKinds;
import dev.monotick.error.StoreException;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/**
 * Adds jobs and calls some off, while the database may be gone at any moment, and tells what it was
 * answered: {@code added}, {@code doubtful} if there was no answer, {@code cancel}. One thread.
 */
public final class JobFeed implements Runnable {

  /** Under which it tells. */
  public static final String SOURCE = "feed";

  private static final int CANCELLED_PERCENT = 6;
  private static final int REMEMBERED = 40;

  private final Jobs jobs;
  private final Journal journal;
  private final Duration pause;
  private final SplittableRandom random;
  private final Deque<JobId> young = new ArrayDeque<>();
  private volatile boolean over;

  /**
   * Creates one.
   *
   * @param perSecond how many jobs a second
   */
  public JobFeed(Jobs jobs, Journal journal, int perSecond, SplittableRandom random) {
    this.jobs = jobs;
    this.journal = journal;
    this.pause = Duration.ofMillis(1000 / perSecond);
    this.random = random;
  }

  /** Sets the limits that jobs have. */
  public void limit() {
    PlannedJobKinds.LIMITS.forEach(jobs::limit);
  }

  /** Has it end after the job it is about. */
  public void stop() {
    over = true;
  }

  @Override
  public void run() {
    for (int number = 1; !over; number++) {
      add(number);
      if (!young.isEmpty() && random.nextInt(100) < CANCELLED_PERCENT) {
        cancel(random.nextBoolean() ? young.getLast() : young.getFirst());
      }
      Waiting.let(pause);
    }
  }

  private void add(int number) {
    JobPlanOrder wish = JobPlanOrder.random(random);
    Instant asked = Instant.now();
    try {
      Enqueued reply = jobs.enqueue(wish.request().header(PlannedJobKinds.REQUEST, "" + number));
      report("added", number, wish, asked, reply.id().toString(), reply.isNew());
      if (reply.isNew()) {
        young.addLast(reply.id());
        if (young.size() > REMEMBERED) {
          young.removeFirst();
        }
      }
    } catch (StoreException e) {
      report("doubtful", number, wish, asked, "", false);
    }
  }

  private void report(
      String kind, int number, JobPlanOrder wish, Instant asked, String id, boolean isNew) {
    journal.add(
        SOURCE,
        HistoryEvent.now(
            kind,
            "wish",
            number,
            "id",
            id,
            "new",
            isNew,
            "kind",
            wish.request().kind().name(),
            "unique",
            wish.unique() == null ? "" : wish.unique(),
            "limit",
            wish.limit() == null ? "" : wish.limit(),
            "attempts",
            wish.plan().attempts(),
            "succeeds",
            wish.plan().succeeds(),
            "asked",
            asked));
  }

  private void cancel(JobId id) {
    String done;
    try {
      done = Boolean.toString(jobs.cancel(id, "chaos", "called off"));
    } catch (StoreException e) {
      done = "unknown";
    }
    journal.add(SOURCE, HistoryEvent.now("cancel", "id", id, "done", done));
  }
}
