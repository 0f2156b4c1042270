package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs below the position that a replica inherits are found all the same: by sweeps, the first of
 * which begins a second after the start, and which look at everything every ten seconds, or twelve
 * where no jobs are claimed.
 */
@Tag("thorough")
@Timeout(60)
final class ScanGapTest {

  /** How long it takes a replica that is idle to find such a job, as decision 12 states. */
  private static final Duration STATED = Duration.ofSeconds(12);

  private final JobFixture fixture = new JobFixture();
  private final BlockingQueue<Set<String>> told = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    String name = fixture.database.schema(); // left by a test that failed
    fixture
        .query("select gid from pg_prepared_xacts where gid = '" + name + "'")
        .forEach(gid -> fixture.execute("rollback prepared '" + gid + "'"));
    fixture.close();
  }

  @Test
  void aJobOfALongTransactionIsFoundByAReplicaThatIsIdle() throws Exception {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(draft("late"))));
      claimOthers();
      savePositionsOf("@job_id_now()");
      JobStore idle = openIdle();
      connection.commit();
      assertThat(claimWhenTold(idle)).isEqualTo("late");
    }
  }

  @Test
  void aJobOfAPreparedTransactionIsFoundByAReplicaThatIsIdle() throws Exception {
    String name = "'" + fixture.database.schema() + "'";
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(draft("late"))));
      connection.createStatement().execute("prepare transaction " + name);
    }
    claimOthers();
    savePositionsOf("@job_id_now()");
    JobStore idle = openIdle();
    fixture.execute("commit prepared " + name);
    assertThat(claimWhenTold(idle)).isEqualTo("late");
  }

  /** It comes with positions that were right when it was made, or were there before. */
  @Test
  void aJobOfARestoredDumpIsFoundByAReplicaThatIsIdle() throws Exception {
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("restored"))));
    List<String> dump =
        fixture.query(
            "select format('insert into @job_ready select %L, %L, %L, 0, 0, 0', id, ready_at, lane)"
                + " from @job_ready");
    fixture.execute("delete from @job_ready");
    claimOthers();
    savePositionsOf("@job_id_now()");
    JobStore idle = openIdle();
    dump.forEach(fixture::execute);
    assertThat(claimWhenTold(idle)).isEqualTo("restored");
  }

  /** The replica that claimed jobs beside the transaction ends, and another starts. */
  @ParameterizedTest(name = "prepared={0}")
  @ValueSource(booleans = {false, true})
  void theFloorThatAnOpenTransactionHoldsIsInheritedAndSweptFrom(boolean isPrepared)
      throws Exception {
    List<Long> firstSweptFrom = new CopyOnWriteArrayList<>();
    JobStore first = fixture.open(intercepting(() -> {}, firstSweptFrom));
    do {
      claimAll(first);
    } while (firstSweptFrom.size() < 3); // by which the floor rises
    String name = "'" + fixture.database.schema() + "'";
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(draft("late"))));
      long late = number(fixture.query(connection, "select id from @job_ready").get(0));
      if (isPrepared) {
        connection.createStatement().execute("prepare transaction " + name);
      }
      int before = firstSweptFrom.size();
      do {
        claimAll(first);
      } while (firstSweptFrom.size() < before + 3);
      ((AutoCloseable) first).close();
      long floor = number(fixture.query("select watermark from @job_scan where lane > 0").get(0));
      long watermark =
          number(fixture.query("select claimed_to from @job_scan where lane > 0").get(0));
      assertThat(floor).isPositive().isLessThanOrEqualTo(late);
      assertThat(watermark).isGreaterThan(late);
      List<Long> sweptFrom = new CopyOnWriteArrayList<>();
      JobStore restarted = fixture.open(intercepting(() -> {}, sweptFrom));
      assertThat(fixture.wanting(5).with(restarted).jobs()).isEmpty();
      if (isPrepared) {
        fixture.execute("commit prepared " + name);
      } else {
        connection.commit();
      }
      assertThat(claimUntilFound(restarted)).isEqualTo("late");
      assertThat(sweptFrom.get(0)).as("where the first sweep began").isEqualTo(floor);
    }
  }

  /** The positions were saved by a clock that was an hour ahead. */
  @Test
  void aJobAddedAfterTheClockWasSetBackIsFoundByTheFirstClaim() {
    claimOthers();
    savePositionsOf("@job_first_id(clock_timestamp() + interval '1 hour')");
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("early"))));
    JobStore restarted = fixture.open(builder -> builder);
    assertThat(fixture.wanting(5).with(restarted).jobs())
        .extracting(JobFixture::text)
        .containsExactly("early");
  }

  @Test
  void positionsOfAnotherTimelineAreLoweredByTenMinutes() {
    claimOthers();
    savePositionsOf("@job_first_id('2026-01-01 12:00Z')");
    fixture.execute("update @job_scan set timeline = timeline + 1");
    fixture.query("select * from @job_load_watermarks(1)");
    fixture.query("select * from @job_load_watermarks(1)"); // once is enough
    assertThat(
            fixture.query(
                "select watermark = @job_first_id('2026-01-01 11:50Z'), claimed_to = watermark, timeline"
                    + " from @job_scan"))
        .containsExactly("t t 1");
  }

  @Test
  void positionsOfAnotherTimelineAreNotSaved() {
    claimOthers();
    savePositionsOf("5");
    fixture.query("select @job_save_watermarks('{1, 2}', '{9, 9}', '{9, 9}', 1, 2)"); // 2 is new
    assertThat(fixture.query("select watermark, claimed_to from @job_scan")).containsExactly("5 5");
  }

  /** Rows that another claim has locked, and that it may leave, are not moved. */
  @Test
  void fewJobsInAGapAreMovedToTheHeadOfTheirLaneAndLockedOnesStay() throws SQLException {
    fixture.add(3);
    List<String> ids = fixture.query("select id from @job_ready order by id");
    String sweep = "select * from @job_scan_gap('{1}', '{%1$d}', 0, %1$d, %2$d)";
    assertThat(fixture.query(sweep.formatted(Long.MAX_VALUE, 3)))
        .as("many")
        .containsExactly("1 " + ids.get(0) + " " + ids.get(0) + " t");
    assertThat(fixture.query("select distinct lane from @job_ready")).containsExactly("1");
    try (Connection other = fixture.database.connect()) {
      other.setAutoCommit(false);
      assertThat(
              fixture.query(
                  other, "select id from @job_ready where id = " + ids.get(1) + " for update"))
          .hasSize(1);
      assertThat(fixture.query(sweep.formatted(Long.MAX_VALUE, 10)))
          .containsExactly("1 " + ids.get(0) + " " + ids.get(1) + " f");
    }
    assertThat(fixture.query("select lane, id from @job_ready order by id"))
        .containsExactly("-1 " + ids.get(0), "1 " + ids.get(1), "-1 " + ids.get(2));
    assertThat(fixture.query(sweep.formatted(Long.MAX_VALUE, 10)))
        .containsExactly("1 " + ids.get(1) + " null f");
    assertThat(fixture.claim(5)).hasSize(3);
    assertThat(fixture.counts()).isEqualTo("0 0 3 0 0 0 0");
  }

  @Test
  void aSweepThatFailsFailsNoClaimAndIsTriedAgain() {
    AtomicInteger failures = new AtomicInteger();
    claimOthers();
    savePositionsOf("@job_id_now()");
    addAnOldJob();
    JobStore restarted =
        fixture.open(
            intercepting(
                () -> {
                  if (failures.incrementAndGet() <= 3) {
                    throw new SQLException("canceling statement due to statement timeout", "57014");
                  }
                }));
    assertThat(claimUntilFound(restarted)).isEqualTo("old");
    assertThat(failures).hasValueGreaterThan(3);
  }

  @Test
  void aSweepThatIsSlowDelaysNoClaim() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    claimOthers();
    savePositionsOf("@job_id_now()");
    JobStore restarted =
        fixture.open(
            intercepting(
                () -> {
                  begun.countDown();
                  try {
                    released.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    try {
      while (begun.getCount() > 0) {
        fixture.add(1);
        assertThat(fixture.wanting(5).with(restarted).jobs()).hasSize(1);
      }
      for (int i = 0; i < 10; i++) { // while the sweep is under way
        fixture.add(1);
        assertThat(fixture.wanting(5).with(restarted).jobs()).hasSize(1);
      }
    } finally {
      released.countDown();
    }
  }

  /** Has the lane claimed, so that it is known, by a store that sweeps nothing later. */
  private void claimOthers() {
    JobStore store = fixture.open(builder -> builder);
    claimAll(store);
    try {
      ((AutoCloseable) store).close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void claimAll(JobStore store) {
    for (int i = 0; i < 3; i++) { // what is settled is known two turns later
      fixture.add(3);
      List<ClaimedJob> claimed = fixture.wanting(5).with(store).jobs();
      assertThat(claimed).hasSize(3);
      Completion[] ends = claimed.stream().map(JobFixture::success).toArray(Completion[]::new);
      assertThat(fixture.wanting(0, ends).with(store).finished()).hasSize(3).containsOnly(true);
    }
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }

  /** Opens a store that has claimed once, found nothing, and waits for jobs that it is told of. */
  private JobStore openIdle() throws InterruptedException {
    JobStore store = fixture.open(builder -> builder);
    store.onReady(told::add);
    assertThat(told.poll(STATED.toSeconds(), TimeUnit.SECONDS)).as("it listens").isNotNull();
    assertThat(fixture.wanting(5).with(store).jobs()).isEmpty();
    return store;
  }

  private String claimWhenTold(JobStore store) throws InterruptedException {
    assertThat(told.poll(STATED.toSeconds(), TimeUnit.SECONDS))
        .as("told within the time that decision 12 states")
        .isNotNull();
    List<ClaimedJob> claimed = fixture.wanting(5).with(store).jobs();
    assertThat(claimed).hasSize(1);
    return JobFixture.text(claimed.get(0));
  }

  /** As if replicas had claimed everything below that number, and nothing could appear there. */
  private void savePositionsOf(String number) {
    fixture.execute("delete from @job_scan");
    fixture.execute(
        "insert into @job_scan select l.id, n, n, 1, now() from @job_lane l, (select "
            + number
            + " as n) as p");
  }

  private void addAnOldJob() {
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("old"))));
    for (String table : List.of("@job", "@job_ready")) { // a minute older
      fixture.execute("update " + table + " set id = id - (60000::bigint << 22)");
    }
  }

  private String claimUntilFound(JobStore store) {
    List<ClaimedJob> claimed = new ArrayList<>();
    while (claimed.isEmpty()) {
      claimed.addAll(fixture.wanting(5).with(store).jobs());
    }
    return JobFixture.text(claimed.get(0));
  }

  /** Does something before each sweep. */
  private interface BeforeSweep {
    void run() throws SQLException;
  }

  /** Returns connections that do something before each sweep. */
  private DataSource intercepting(BeforeSweep action) {
    return intercepting(action, new CopyOnWriteArrayList<>());
  }

  /**
   * Returns connections that do something before each sweep.
   *
   * @param sweptFrom where each sweep began
   */
  private DataSource intercepting(BeforeSweep action, List<Long> sweptFrom) {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return intercepting(fixture.database.connect(), action, sweptFrom);
            });
  }

  private Connection intercepting(Connection connection, BeforeSweep action, List<Long> sweptFrom) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && String.valueOf(arguments[0]).contains("job_scan_gap")) {
                action.run();
              }
              try {
                Object result = method.invoke(connection, arguments);
                return method.getName().equals("prepareStatement")
                        && String.valueOf(arguments[0]).contains("job_scan_gap")
                    ? recording((PreparedStatement) result, sweptFrom)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private PreparedStatement recording(PreparedStatement statement, List<Long> sweptFrom) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("setLong") && arguments[0].equals(3)) {
                sweptFrom.add((Long) arguments[1]);
              }
              try {
                return method.invoke(statement, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
