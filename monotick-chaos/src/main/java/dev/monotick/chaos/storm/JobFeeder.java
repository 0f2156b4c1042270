package dev.monotick.chaos.storm;

import dev.monotick.chaos.cluster.Waiting;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.job.store.Enqueued;
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

/** Adds jobs at an even pace, and writes down what was added. One thread. */
final class JobFeeder implements Runnable {

  private static final Duration BEAT = Duration.ofMillis(50);
  private static final int KEYS = 60;

  /** Few, so that they are often taken. */
  private static final int UNIQUE_KEYS = 12;

  /** Milliseconds a job may take; less where few can run at a time. */
  private static final int LONGEST = 1800;

  private static final int LONGEST_LIMITED = 300;
  private static final String[] TENANTS = {"", "", "acme", "zeta"};

  private final Jobs jobs;
  private final Connection connection;
  private final int most;
  private final double perBeat;
  private final SplittableRandom random;
  private final AtomicInteger added = new AtomicInteger();
  private volatile @Nullable Exception failure;
  private volatile boolean over;

  /** A job that is wanted. */
  private record Wish(
      JobRequest<String> request, JobPlan plan, @Nullable String unique, @Nullable String limit) {}

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
    this.perBeat = most * (double) BEAT.toMillis() / lasting.toMillis();
    this.random = random;
  }

  /** Returns how many were added so far. */
  int added() {
    return added.get();
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
      for (long beat = 1; added.get() < most; beat++) {
        int wanted = (int) Math.min(most, Math.ceil(beat * perBeat)) - added.get();
        if (wanted > 0) {
          add(wanted);
        }
        Waiting.let(Duration.ofNanos(start + beat * BEAT.toNanos() - System.nanoTime()));
      }
      over = true;
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
  }

  private void add(int count) throws SQLException {
    List<Wish> wishes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      wishes.add(wish());
    }
    OffsetDateTime asked = now();
    List<Enqueued> replies =
        wishes.size() == 1
            ? List.of(jobs.enqueue(wishes.get(0).request()))
            : jobs.enqueue(wishes.stream().map(Wish::request).toList());
    note(wishes, replies, asked);
  }

  private Wish wish() {
    JobKind<String> kind = kind(random.nextInt(100));
    JobPlan plan = JobPlan.random(random, kind == StormKinds.LIMITED ? LONGEST_LIMITED : LONGEST);
    String tenant = TENANTS[random.nextInt(TENANTS.length)];
    JobRequest<String> request = kind.of(plan.text()).priority(3 + 2 * random.nextInt(3));
    if (!tenant.isEmpty()) {
      request = request.tenant(tenant);
    }
    if (random.nextInt(100) < 10) {
      request = request.delay(Duration.ofMillis(random.nextInt(500)));
    }
    String key = "k" + random.nextInt(kind == StormKinds.UNIQUE ? UNIQUE_KEYS : KEYS);
    if (kind == StormKinds.UNIQUE) {
      // A key is unique within its tenant.
      return new Wish(
          request.uniqueKey(key).header(StormKinds.KEY, key), plan, tenant + "/" + key, null);
    } else if (kind == StormKinds.KEYED) {
      return new Wish(request.limitKey(key).header(StormKinds.KEY, key), plan, null, key);
    }
    return new Wish(request, plan, null, null);
  }

  private static JobKind<String> kind(int percent) {
    if (percent < 55) {
      return StormKinds.PLAIN;
    } else if (percent < 72) {
      return StormKinds.UNIQUE;
    } else if (percent < 76) {
      return StormKinds.LIMITED;
    } else if (percent < 86) {
      return StormKinds.KEYED;
    }
    return StormKinds.EXACT;
  }

  private OffsetDateTime now() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  private void note(List<Wish> wishes, List<Enqueued> replies, OffsetDateTime asked)
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
        Wish wish = wishes.get(i);
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
