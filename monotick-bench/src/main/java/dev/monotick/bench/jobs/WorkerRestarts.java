package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures how a worker comes back while an old snapshot keeps dead rows: after a restart of its
 * process, timed from the call that starts the engine, and after all its connections were cut,
 * timed from the cut. Jobs wait in the queue each time. Connections are cut twice in each round:
 * while the queue is paused, and while the worker runs jobs, in the middle of statements. Not
 * thread-safe.
 */
final class WorkerRestarts implements AutoCloseable {

  /** The states that are measured, as reports name them. */
  static final String RESTART = "restart";

  static final String RECONNECT = "reconnect";
  static final String RECONNECT_LOADED = "reconnect-loaded";

  private static final int WARM_UPS = 3;

  /** So many times {@code jobs} wait for the worker, which is about ten seconds of work. */
  private static final int BURST = 20;

  /** A worker that has not run all by then is not waited for any longer. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private final Contender contender;
  private final int jobs;
  private final int burst;
  private final BenchDatabase database;
  private final ContenderProcess sender;
  private ContenderProcess worker;
  private int added;
  private long ran; // by the worker that there is now, while all goes well
  private long due; // how many the worker that there is now must have run when none are left
  private double warm;

  WorkerRestarts(BenchServer server, Contender contender, int jobs) throws Exception {
    this.contender = contender;
    this.jobs = jobs;
    this.burst = BURST * jobs;
    this.database = BenchDatabase.create(server, "depth_return");
    this.sender = ContenderProcess.start(contender, database);
    sender.request("install");
    this.worker = ContenderProcess.start(contender, database);
    worker.request("work " + EngineUse.DRAIN + " 0");
  }

  /**
   * Measures each state in each round, first with the fewest dead rows. A worker that does not come
   * back is a result, too.
   *
   * @param states {@link #RESTART}, {@link #RECONNECT} or both
   * @param levels how many dead rows there are to be at least, in ascending order
   */
  Map<String, List<WorkerRestart>> run(List<String> states, int rounds, List<Integer> levels)
      throws Exception {
    for (int i = 0; i < WARM_UPS; i++) {
      drain(jobs);
    }
    drain(burst);
    warm = course().rate(ran - burst * 4L / 5, ran - burst / 20L);
    BenchmarkProgress.report("warm: " + FigureFormat.format(warm) + " jobs/s");
    try (Connection holder = database.connect()) {
      long pid = pid(holder);
      BenchDatabase.hold(holder);
      Map<String, List<WorkerRestart>> comebacks = new LinkedHashMap<>();
      for (int level : levels) {
        makeDead(level);
        for (int round = 0; round < rounds; round++) {
          if (states.contains(RESTART)) {
            add(comebacks, RESTART, restart(level));
          }
          if (states.contains(RECONNECT)) {
            add(comebacks, RECONNECT, reconnect(pid, false, level));
            add(comebacks, RECONNECT_LOADED, reconnect(pid, true, level));
          }
        }
      }
      holder.rollback();
      return comebacks;
    }
  }

  private static long pid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void add(
      Map<String, List<WorkerRestart>> comebacks, String state, WorkerRestart comeback) {
    comebacks.computeIfAbsent(state, key -> new ArrayList<>()).add(comeback);
    BenchmarkProgress.report(
        state
            + ": n_dead_tup "
            + FigureFormat.format((double) comeback.dead())
            + ", first "
            + WorkerRestart.FIRST
            + " jobs after "
            + WorkerRestart.millis(comeback.firstMillis())
            + ", 85 % after "
            + WorkerRestart.millis(comeback.fastMillis())
            + ": "
            + comeback.verdict());
  }

  /**
   * Runs jobs until there are so many dead rows, and a burst more: {@code n_dead_tup} is an
   * estimate, and an analyze that comes just after an insert lowers it.
   */
  private void makeDead(int wanted) throws Exception {
    long before = ran;
    for (long dead = dead(); dead < wanted + burst; dead = dead()) {
      if (ran - before > 2L * wanted + 2L * burst) {
        throw new IllegalStateException(
            "only "
                + dead
                + " dead rows after "
                + (ran - before)
                + " jobs; something removes them");
      }
      drain(burst);
    }
    due = ran;
    BenchmarkProgress.report("n_dead_tup of job_ready: " + FigureFormat.format((double) dead()));
  }

  private long dead() throws SQLException {
    return database.ask(
        "select n_dead_tup from pg_stat_user_tables"
            + " where schemaname = 'monotick' and relname = 'job_ready'");
  }

  private void add(int count) throws IOException {
    sender.request("pause");
    Drain.fill(contender, sender, added, count);
    added += count;
  }

  private void drain(int count) throws Exception {
    add(count);
    sender.request("resume");
    ran += count;
    Drain.awaitRun(contender, List.of(worker), ran);
  }

  private RunCourse course() throws IOException {
    return Drain.course(List.of(worker));
  }

  private WorkerRestart restart(int wanted) throws Exception {
    long left = due - count();
    add(burst);
    worker.close();
    worker = ContenderProcess.start(contender, database);
    due = left + burst;
    sender.request("resume");
    long dead = dead();
    long start = Clock.systemUTC().millis();
    worker.request("work " + EngineUse.DRAIN + " 0");
    return measure(start, wanted, dead);
  }

  /**
   * Cuts all connections but that of the snapshot.
   *
   * @param holder the server process of the snapshot
   * @param loaded whether the worker runs jobs by then; else the queue is paused
   */
  private WorkerRestart reconnect(long holder, boolean loaded, int wanted) throws Exception {
    add(burst);
    due += burst;
    long dead = dead();
    if (loaded) {
      long until = count() + burst / 5;
      sender.request("resume");
      await(until);
    }
    long start = Clock.systemUTC().millis();
    long cut =
        database.ask(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()"
                + " and backend_type = 'client backend' and pid <> "
                + holder);
    BenchmarkProgress.report("  cut " + cut + " connections");
    try {
      sender.request("resume");
    } catch (IOException e) { // its connections were cut, too
      sender.request("resume");
    }
    return measure(start, wanted, dead);
  }

  private long count() throws IOException {
    return Long.parseLong(worker.request("count"));
  }

  /**
   * Waits until the worker has run so many jobs in all, but not forever; returns how many it has.
   */
  private long await(long until) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    long count = count();
    while (count < until && System.nanoTime() < end) {
      BenchmarkProgress.pause(POLL_INTERVAL);
      count = count();
    }
    return count;
  }

  /** Waits until all that was queued is run. What is left over is there for the next round, too. */
  private WorkerRestart measure(long start, int wanted, long dead)
      throws IOException, InterruptedException {
    long count = await(due);
    RunCourse course = course();
    long before = course.perMilli().headMap(start).values().stream().mapToLong(n -> n).sum();
    if (count < due) {
      BenchmarkProgress.report(
          "  ran " + (count - before) + " jobs in 60 s, " + (due - count) + " are left");
    }
    ran = due; // what is left over is run before the next jobs that are waited for
    return WorkerRestart.of(course, start, before, warm, wanted, dead);
  }

  @Override
  public void close() throws IOException, SQLException {
    ContenderProcess last = worker;
    try (database;
        sender;
        last) {
      BenchmarkProgress.report("  closing " + database.name());
    }
  }
}
