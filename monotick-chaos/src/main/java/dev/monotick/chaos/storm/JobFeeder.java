package dev.monotick.chaos.storm;

import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.workload.JobPlanOrder;
import dev.monotick.job.Enqueued;
import dev.monotick.job.Jobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs at an even pace, and writes down what was added. One thread; another may ask it to
 * rest, so that workers become idle, and for single jobs meanwhile, which are handed to idle
 * workers.
 */
final class JobFeeder implements Runnable {

  private static final Duration ROUND = Duration.ofMillis(50);
  private static final int LARGEST = 1_000;
  private static final Duration LAST_ROUND = Duration.ofMillis(5);
  private final Jobs jobs;
  private final Connection connection;
  private final int most;
  private final double perNano;
  private final SplittableRandom random;
  private final AtomicInteger added = new AtomicInteger();
  private final AtomicInteger singles = new AtomicInteger(); // wanted while it rests
  private volatile boolean resting;
  private volatile @Nullable Exception failure;
  private volatile boolean over;

  /**
   * Creates one.
   *
   * @param connection in autocommit, for this alone
   * @param most how many jobs to add
   * @param lasting in how much time
   */
  JobFeeder(Jobs jobs, Connection connection, int most, Duration lasting, SplittableRandom random) {
    this.jobs = jobs;
    this.connection = connection;
    this.most = most;
    this.perNano = most / (double) lasting.toNanos();
    this.random = random;
  }

  /** Returns how many were added so far. */
  int added() {
    return added.get();
  }

  /** Has it rest, or go on. */
  void rest(boolean wanted) {
    resting = wanted;
  }

  /** Has it add plain jobs while it rests, each alone and one right after the other. */
  void addSingles(int count) {
    singles.addAndGet(count);
  }

  /** Says whether all were added; throws if that failed. */
  boolean isOver() {
    Exception thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException("jobs could not be added", thrown);
    }
    return over;
  }

  @Override
  public void run() {
    try {
      long start = System.nanoTime();
      while (added.get() < most) {
        while (resting) {
          rest();
        }
        // After a rest it makes up for that.
        double elapsed = System.nanoTime() - start + ROUND.toNanos();
        int wanted = (int) Math.min(most, Math.ceil(elapsed * perNano)) - added.get();
        if (wanted > 0) {
          add(Math.min(wanted, LARGEST));
        }
        Waiting.let(ROUND);
      }
      over = true;
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
  }

  private void rest() throws SQLException {
    for (int left = singles.getAndSet(0); left > 0; left--) {
      add(List.of(JobPlanOrder.plain(random)));
    }
    Waiting.let(LAST_ROUND);
  }

  private void add(int count) throws SQLException {
    List<JobPlanOrder> wishes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      wishes.add(JobPlanOrder.random(random));
    }
    add(wishes);
  }

  private void add(List<JobPlanOrder> wishes) throws SQLException {
    OffsetDateTime asked = now();
    List<Enqueued> replies =
        wishes.size() == 1
            ? List.of(jobs.enqueue(wishes.get(0).request()))
            : jobs.enqueue(wishes.stream().map(JobPlanOrder::request).toList());
    note(wishes, replies, asked);
  }

  private OffsetDateTime now() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  private void note(List<JobPlanOrder> wishes, List<Enqueued> replies, OffsetDateTime asked)
      throws SQLException {
    try (PreparedStatement job =
            connection.prepareStatement(
                "insert into watch.job (id, kind, unique_key, limit_key, attempts, succeeds)"
                    + " values (?, ?, ?, ?, ?, ?)");
        PreparedStatement duplicate =
            connection.prepareStatement(
                "insert into watch.duplicate (id, unique_key, asked_at) values (?, ?, ?)")) {
      int fresh = 0;
      for (int i = 0; i < wishes.size(); i++) {
        JobPlanOrder wish = wishes.get(i);
        long id = replies.get(i).id().value();
        if (replies.get(i).isNew()) {
          job.setLong(1, id);
          job.setString(2, wish.request().kind().name());
          job.setString(3, wish.unique());
          job.setString(4, wish.limit());
          job.setInt(5, wish.plan().attempts());
          job.setBoolean(6, wish.plan().succeeds());
          job.addBatch();
          fresh++;
        } else {
          duplicate.setLong(1, id);
          duplicate.setString(2, wish.unique());
          duplicate.setObject(3, asked);
          duplicate.addBatch();
        }
      }
      job.executeBatch();
      duplicate.executeBatch();
      added.addAndGet(fresh);
    }
  }
}
