package dev.monotick.engine.job;

import dev.monotick.engine.client.JobTexts;
import dev.monotick.job.Job;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobId;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A job whose handler runs, as the handler sees it. */
final class RunningJob<P> implements JobContext<P> {

  private static final int MOST_LINES = 1_000;
  private static final int LONGEST_LINE = 2_000;

  private final JobWorkerContext context;
  private final ClaimedJob job;
  private final P payload;
  private final Instant startedAt;
  private final long startedNanos;
  private volatile @Nullable JobCancelReason stop;
  private long stopNanos; // written on the loop, before the cause, and read there
  private volatile boolean committed;
  // Guarded by this.
  private @Nullable List<Job.LogLine> lines;
  private int linesTaken;
  private @Nullable Double progress;
  private @Nullable String doing;
  private boolean transacted;

  RunningJob(JobWorkerContext context, ClaimedJob job, P payload) {
    this.context = context;
    this.job = job;
    this.payload = payload;
    this.startedAt = context.store().now();
    this.startedNanos = context.time().nanos();
  }

  ClaimedJob job() {
    return job;
  }

  Instant startedAt() {
    return startedAt;
  }

  Duration ran() {
    return Duration.ofNanos(context.time().nanos() - startedNanos);
  }

  /** Says whether its success is recorded already. */
  boolean isCommitted() {
    return committed;
  }

  @Nullable JobCancelReason stopCause() {
    return stop;
  }

  void stop(JobCancelReason cause) {
    if (stop == null) {
      stopNanos = context.time().nanos();
      stop = cause;
    }
  }

  /** Returns for how long the handler has gone on since it was asked to stop; on the loop. */
  Duration ignoredFor() {
    return stop == null ? Duration.ZERO : Duration.ofNanos(context.time().nanos() - stopNanos);
  }

  /** Returns what is new, or null if there is nothing. */
  synchronized RunProgress progressReport() {
    List<Job.LogLine> taken = lines == null ? List.of() : lines;
    lines = null;
    return new RunProgress(job.run(), startedAt, progress, doing, taken);
  }

  synchronized boolean hasLines() {
    return lines != null;
  }

  @Override
  public JobId id() {
    return job.id();
  }

  @Override
  public Lane lane() {
    return job.lane();
  }

  @Override
  public P payload() {
    return payload;
  }

  @Override
  public int version() {
    return job.version();
  }

  @Override
  public int attempt() {
    return job.run().attempt();
  }

  @Override
  public int maxAttempts() {
    return job.rules().maxAttempts();
  }

  @Override
  public int run() {
    return job.run().number();
  }

  @Override
  public Optional<Instant> deadline() {
    return job.rules().deadline();
  }

  @Override
  public Map<String, String> headers() {
    return job.headers();
  }

  @Override
  public String replica() {
    return context.replicaName();
  }

  @Override
  public boolean isCancelled() {
    return stop != null;
  }

  @Override
  public void checkCancelled() throws InterruptedException {
    JobCancelReason cause = stop;
    if (cause != null) {
      throw new InterruptedException("job " + id() + " should stop: " + cause.text);
    }
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    checkCancelled();
    context.threads().sleep(duration, this::isCancelled);
    checkCancelled();
  }

  @Override
  public synchronized void progress(double done, String what) {
    if (!(done >= 0 && done <= 1)) {
      throw new IllegalArgumentException("progress must be between 0 and 1, but was " + done);
    }
    progress = done;
    doing = JobTexts.shortened(what, LONGEST_LINE);
  }

  @Override
  public synchronized void log(String line) {
    if (linesTaken >= MOST_LINES) {
      return;
    }
    linesTaken++;
    if (lines == null) {
      lines = new ArrayList<>();
    }
    String text = linesTaken == MOST_LINES ? "(further lines are not kept)" : line;
    lines.add(new Job.LogLine(context.store().now(), JobTexts.shortened(text, LONGEST_LINE)));
  }

  @Override
  public void transaction(DataSource dataSource, SqlWork work) throws SQLException {
    if (job.rules().effect() != Effect.TRANSACTIONAL) {
      throw new IllegalStateException(
          "job "
              + id()
              + " has effect "
              + job.rules().effect()
              + "; give its kind effect(TRANSACTIONAL) to have its success commit with your SQL");
    }
    synchronized (this) {
      if (transacted) {
        throw new IllegalStateException(
            "job " + id() + " had its transaction; a TRANSACTIONAL job has one");
      }
      transacted = true;
    }
    Completion success = new Completion(job, new Completion.Succeeded(null), startedAt, ran());
    try {
      context.store().transact(job.owner(), success, dataSource, work);
      committed = true;
    } finally {
      if (!committed) {
        synchronized (this) {
          transacted = false; // nothing was written, or nobody knows; the store tells them apart
        }
      }
    }
  }
}
