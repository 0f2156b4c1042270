package dev.monotick.memory;

import static java.util.Objects.requireNonNull;

import dev.monotick.internal.ledger.RowLedger;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;

/**
 * A store in the memory of this JVM, shared by all engines that are given it. Keeps every rule of
 * the ledger and of jobs, but forgets everything when the process ends: for tests, and for services
 * that never run as more than one process.
 *
 * <p>Supports {@link dev.monotick.work.Effect#AT_MOST_ONCE} and {@link
 * dev.monotick.work.Effect#AT_LEAST_ONCE}. Leases run on the {@linkplain TimeSource#ticker()
 * ticker} it is given, dates come from the clock. Thread-safe; no call waits for anything but other
 * calls.
 */
public final class InMemoryStore implements Store {

  /** The lease timing of stores that are built without one: 3 s, 500 ms, 500 ms, 500 ms. */
  public static final LeaseTiming DEFAULT_LEASE_TIMING =
      new LeaseTiming(
          Duration.ofSeconds(3),
          Duration.ofMillis(500),
          Duration.ofMillis(500),
          Duration.ofMillis(500));

  /** How many ended rows of a task are kept if nothing else is said. */
  public static final int DEFAULT_HISTORY_PER_TASK = 10;

  /** How many jobs that ended are kept if nothing else is said. */
  public static final int DEFAULT_ENDED_JOBS = 10_000;

  private final RowLedger ledger;
  private final InMemoryRegistry replicas;
  private final InMemoryElection leaders;
  private final InMemoryJobStore jobs;

  private InMemoryStore(Builder builder) {
    replicas = new InMemoryRegistry(builder.leaseTiming, builder.time.ticker());
    ledger = new RowLedger(builder.time, builder.historyPerTask, replicas::isGone);
    leaders = new InMemoryElection(builder.leaseTiming, builder.time.ticker(), ledger);
    jobs = new InMemoryJobStore(builder.time, replicas, builder.endedJobs);
  }

  /** {@return a new, empty store on the clocks of this process, with all defaults} */
  public static InMemoryStore create() {
    return builder().build();
  }

  /** {@return the beginning of a store} */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public TickLedger ledger() {
    return ledger;
  }

  @Override
  public MemberRegistry replicas() {
    return replicas;
  }

  @Override
  public LeaderElection leaders() {
    return leaders;
  }

  @Override
  public JobStore jobs() {
    return jobs;
  }

  /** Builds an {@link InMemoryStore}; everything has a default. Not thread-safe. */
  public static final class Builder {

    private TimeSource time = TimeSource.system();
    private LeaseTiming leaseTiming = DEFAULT_LEASE_TIMING;
    private int historyPerTask = DEFAULT_HISTORY_PER_TASK;
    private int endedJobs = DEFAULT_ENDED_JOBS;

    private Builder() {}

    /**
     * The clocks of the store; by default those of this process.
     *
     * @param time the clocks
     * @return this builder
     */
    public Builder time(TimeSource time) {
      this.time = requireNonNull(time, "time");
      return this;
    }

    /**
     * The timing of leadership and membership; by default {@link #DEFAULT_LEASE_TIMING}.
     *
     * @param leaseTiming the timing
     * @return this builder
     */
    public Builder leaseTiming(LeaseTiming leaseTiming) {
      this.leaseTiming = requireNonNull(leaseTiming, "leaseTiming");
      return this;
    }

    /**
     * How many ended rows of each task are kept, at least 1; by default {@link
     * #DEFAULT_HISTORY_PER_TASK}. A row takes about 150 bytes. No scheduled tick runs twice because
     * its row was dropped; the key of a triggered one may be used again.
     *
     * @param historyPerTask how many
     * @return this builder
     */
    public Builder historyPerTask(int historyPerTask) {
      this.historyPerTask = historyPerTask;
      return this;
    }

    /**
     * How many jobs that ended are kept, the latest ones, at least 1; by default {@link
     * #DEFAULT_ENDED_JOBS}. Dead letters are kept beside them until they are requeued or purged.
     *
     * @param endedJobs how many
     * @return this builder
     */
    public Builder endedJobs(int endedJobs) {
      this.endedJobs = endedJobs;
      return this;
    }

    /**
     * Builds the store.
     *
     * @return a new, empty store
     * @throws IllegalArgumentException if historyPerTask or endedJobs is less than 1
     */
    public InMemoryStore build() {
      if (endedJobs < 1) {
        throw new IllegalArgumentException(
            "endedJobs must be at least 1, but was "
                + endedJobs
                + "; use 1 to keep as little as possible");
      }
      if (historyPerTask < 1) {
        throw new IllegalArgumentException(
            "historyPerTask must be at least 1, but was "
                + historyPerTask
                + "; use 1 to keep as little as possible");
      }
      return new InMemoryStore(this);
    }
  }
}
