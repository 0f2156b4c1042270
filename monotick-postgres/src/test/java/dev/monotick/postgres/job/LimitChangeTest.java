package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.end;
import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobLimit;
import dev.monotick.job.JobLimit.Scope;
import dev.monotick.job.JobStart;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Limits that are set while jobs are claimed and end. */
@Tag("thorough")
@Timeout(120)
final class LimitChangeTest {

  private static final Scope OF_KIND = new Scope("letter", "", false);
  private static final Scope OF_KEY = new Scope("letter", "", true);
  private static final int WORKERS = 4;
  private static final int CHANGES = 200;

  private final JobFixture fixture = new JobFixture();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    threads.shutdownNow();
    fixture.close();
  }

  @Test
  void whatIsJustBeingClaimedCounts() throws Exception {
    fixture.add(10);
    assertThat(fixture.claim(2)).hasSize(2);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      String lane = fixture.query("select id from @job_lane").get(0);
      fixture.query(connection, turn("null, null, null, null, null, null, null, null", 3, lane));
      Future<?> limited = threads.submit(() -> fixture.jobs.limit(running(OF_KIND, 4)));
      awaitWaiting(limited);
      connection.commit();
      limited.get();
    }
    assertThat(inUse()).containsExactly("5 5");
    assertThat(fixture.claim(10)).isEmpty();
  }

  @Test
  void whatIsJustEndingDoesNotCount() throws Exception {
    fixture.add(10);
    List<ClaimedJob> claimed = fixture.claim(5);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      String lane = fixture.query("select id from @job_lane").get(0);
      String ends =
          "array[%s, %s], array[1, 1], array[1, 1]::smallint[], array[%s, %3$s], array[0, 0]::smallint[], array[0, 0]::smallint[], array[0, 0], array[0, 0]"
              .formatted(claimed.get(0).id(), claimed.get(1).id(), lane);
      fixture.query(connection, turn(ends, 0, lane));
      Future<?> limited = threads.submit(() -> fixture.jobs.limit(running(OF_KIND, 4)));
      awaitWaiting(limited);
      connection.commit();
      limited.get();
    }
    assertThat(inUse()).containsExactly("3 3");
    assertThat(fixture.claim(10)).hasSize(1);
  }

  @Test
  void whatIsJustBeingRescuedDoesNotCount() throws Exception {
    fixture.add(10);
    assertThat(fixture.claim(2)).hasSize(2);
    MemberId gone = fixture.join();
    assertThat(fixture.wanting(gone, 5, List.of()).with(fixture.jobs).jobs()).hasSize(5);
    fixture.declareGone(gone);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      assertThat(fixture.query(connection, "select @job_rescue(3)")).containsExactly("5");
      Future<?> limited = threads.submit(() -> fixture.jobs.limit(running(OF_KIND, 3)));
      while (fixture
          .query(
              "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%"
                  + fixture.database.schema()
                  + "%job_set_limit%'")
          .isEmpty()) {
        assertThat(limited).isNotDone();
      }
      connection.commit();
      limited.get();
    }
    assertThat(inUse()).containsExactly("2 2");
    assertThat(fixture.claim(10)).hasSize(1);
  }

  /** Also in the transaction of a handler, which does not go by turns. */
  @Test
  void aRunThatBeganBeforeTheLimitAndEndsInATransactionMakesRoom() throws Exception {
    fixture.add(3);
    ClaimedJob run = fixture.claim(1).get(0);
    fixture.jobs.limit(running(OF_KIND, 1));
    assertThat(fixture.claim(3)).isEmpty();
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(fixture.database.url());
    dataSource.setUser(fixture.database.user());
    dataSource.setPassword(fixture.database.password());
    fixture.jobs.transact(fixture.replica, success(run), dataSource, connection -> {});
    assertThat(inUse()).containsExactly("0 0");
    assertThat(fixture.claim(3)).hasSize(1);
  }

  /**
   * Workers claim, end, hand back and die, and jobs are called off, while limits come, change and
   * go. Once a limit is set, nobody begins anything that it has no room for, whenever the others
   * began; and when all is over nothing is held.
   */
  @Test
  void limitsAreExactWhileTheyAreSet() throws Exception {
    long seed = new Random().nextLong();
    List<JobDraft> drafts = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      drafts.add(i % 2 == 0 ? draft("n" + i) : keyed("k" + i % 3));
    }
    fixture.jobs.enqueue(EnqueueRequest.of(drafts));
    List<Future<Integer>> workers = new ArrayList<>();
    Race race = new Race();
    for (int i = 0; i < WORKERS; i++) {
      JobStore store = i == 0 ? fixture.jobs : fixture.open(builder -> builder);
      Random random = new Random(seed + i);
      workers.add(
          threads.submit(
              () -> {
                try {
                  return race.work(store, random);
                } finally {
                  race.over = true; // also if it failed: nobody waits for it
                  race.turns.release(CHANGES);
                }
              }));
    }
    try {
      race.change(new Random(seed - 1));
    } finally {
      race.over = true;
    }
    int checked = 0;
    for (Future<Integer> worker : workers) {
      checked += worker.get();
    }
    assertThat(checked).as("claims under a limit, seed " + seed).isGreaterThan(CHANGES / 10);
    assertThat(fixture.query("select count(*) from @job_limit_use where running <> 0"))
        .as("seed " + seed)
        .containsExactly("0");
    assertThat(fixture.query("select count(*) from @job_limit_hold")).containsExactly("0");
    assertThat(fixture.counts()).as("waiting, ready, running").matches("0 \\d+ 0 .*");
    assertThat(fixture.query("select count(*) from @job_ready")).doesNotContain("0");
  }

  /** A limit that is in force. No two are equal, so that it tells whether it was changed. */
  private static final class Bound {

    final int most;

    Bound(int most) {
      this.most = most;
    }
  }

  /** Those who work and the one who changes limits. */
  private final class Race {

    private final AtomicInteger running = new AtomicInteger();
    private final Semaphore turns = new Semaphore(0);
    private volatile @Nullable Bound bound;
    private volatile boolean over;

    void change(Random random) throws InterruptedException {
      for (int i = 0; i < CHANGES && !over; i++) {
        int most = 1 + random.nextInt(8);
        // In the end none is removed, as that would forget what somebody failed to give back.
        switch (random.nextInt(i < CHANGES / 2 ? 7 : 4)) {
          case 4, 5 -> {
            bound = null;
            fixture.jobs.removeLimit(OF_KIND);
          }
          case 1 -> fixture.jobs.limit(running(OF_KEY, most));
          case 6 -> fixture.jobs.removeLimit(OF_KEY);
          default -> {
            bound = null;
            fixture.jobs.limit(running(OF_KIND, most));
            bound = new Bound(most);
          }
        }
        turns.drainPermits();
        turns.acquire(4 * WORKERS);
      }
    }

    /** Counts as not running what is about to end, and so never too much. */
    int work(JobStore store, Random random) {
      MemberId replica = fixture.join();
      List<ClaimedJob> runs = new ArrayList<>();
      int checked = 0;
      while (!over || !runs.isEmpty()) {
        List<Completion> finishes = new ArrayList<>();
        while (!runs.isEmpty() && (over || random.nextInt(3) > 0)) {
          ClaimedJob run = runs.remove(random.nextInt(runs.size()));
          running.decrementAndGet();
          switch (random.nextInt(8)) {
            case 0 -> {
              assertThat(store.cancel(run.id(), "ann", "no")).isTrue();
              finishes.add(success(run)); // which is refused
            }
            case 1, 2 -> finishes.add(end(run, new Completion.HandedBack()));
            default -> finishes.add(success(run));
          }
        }
        Bound before = bound;
        List<ClaimedJob> claimed =
            fixture.wanting(replica, over ? 0 : 1 + random.nextInt(4), finishes).with(store).jobs();
        int now = running.addAndGet(claimed.size());
        if (!claimed.isEmpty() && before != null && before == bound) {
          assertThat(now).isLessThanOrEqualTo(before.most);
          checked++;
        }
        runs.addAll(claimed);
        if (random.nextInt(20) == 0) {
          running.addAndGet(-runs.size());
          runs.clear();
          fixture.declareGone(replica);
          store.rescue();
          replica = fixture.join();
        }
        turns.release();
      }
      for (int i = 0; i < 3; i++) {
        store.rescue(); // of claims that others had locked
      }
      return checked;
    }
  }

  /** A turn that ends something, and claims. */
  private String turn(String ends, int most, String lane) {
    String claims =
        ends.startsWith("array")
            ? "array[1, 1], array(select number from @job_claim), array[false], null"
            : "null, null, null, null";
    return ("select * from @job_exchange('%s', row(%s, null, null, null, "
            + claims
            + ")::@job_completions,"
            + " row(%d, %d, (select version from @job_rules_version), array[%s], array[0], array[%4$d],"
            + " null, null, null)::@job_claim_request, false, null, null)")
        .formatted(fixture.replica.value(), ends, most == 0 ? 0 : 999, most, lane);
  }

  private void awaitWaiting(Future<?> limited) {
    while (fixture
        .query(
            "select 1 from pg_locks where not granted" + " and relation = '@limit_lock'::regclass")
        .isEmpty()) {
      assertThat(limited).isNotDone();
    }
  }

  /** Returns how many run by the count of the limit, and how many hold something of it. */
  private List<String> inUse() {
    return fixture.query(
        "select running, (select count(*) from @job_limit_hold) from @job_limit_use");
  }

  private static JobLimit running(Scope scope, int most) {
    return new JobLimit(scope, Optional.of(most), Optional.empty());
  }

  private static JobDraft keyed(String key) {
    JobDraft draft = draft(key);
    return new JobDraft(
        draft.lane(),
        1,
        draft.payload(),
        JobStart.NOW,
        draft.rules(),
        Optional.empty(),
        Optional.of(key),
        Map.of());
  }
}
