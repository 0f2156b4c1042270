package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.Use;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.Progress;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how a worker comes back while an old snapshot keeps dead rows: after a restart of its
 * process, timed from the call that starts the engine, and after all its connections were cut,
 * timed from the cut. Jobs wait in the queue each time. Not thread-safe.
 */
final class Comebacks implements AutoCloseable {

  private static final int WARM_UPS = 3;

  /** So many times {@code jobs} wait for the worker, which is about ten seconds of work. */
  private static final int BURST = 20;

  /** A worker that has not run all by then is not waited for any longer. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration LOOK = Duration.ofMillis(20);

  private final Contender contender;
  private final int jobs;
  private final int burst;
  private final BenchDatabase database;
  private final WorkerProcess sender;
  private WorkerProcess worker;
  private int added;
  private long ran; // by the worker that there is now
  private double warm;

  Comebacks(BenchServer server, Contender contender, String state, int jobs) throws Exception {
    this.contender = contender;
    this.jobs = jobs;
    this.burst = BURST * jobs;
    this.database = BenchDatabase.create(server, "depth_" + state);
    this.sender = WorkerProcess.start(contender, database);
    sender.ask("install");
    this.worker = WorkerProcess.start(contender, database);
    worker.ask("work " + Use.DRAIN + " 0");
  }

  /**
   * Returns one for each round, fewer if the worker did not come back.
   *
   * @param restart whether the process is restarted; else its connections are cut
   * @param dead how many dead rows there are to be at least
   */
  List<Comeback> run(boolean restart, int rounds, int dead) throws Exception {
    for (int i = 0; i < WARM_UPS; i++) {
      drain(jobs);
    }
    drain(burst);
    warm = course().rate(ran - burst * 4L / 5, ran - burst / 20L);
    Progress.say("warm: " + Figures.format(warm) + " jobs/s");
    try (Connection holder = database.connect()) {
      BenchDatabase.hold(holder);
      makeDead(dead);
      List<Comeback> comebacks = new ArrayList<>();
      boolean isBack = true;
      for (int round = 0; round < rounds && isBack; round++) {
        Comeback comeback = restart ? restart() : reconnect();
        isBack = comeback.fastMillis() >= 0;
        comebacks.add(told(restart ? "restart" : "reconnect", comeback));
      }
      holder.rollback();
      return comebacks;
    }
  }

  private static Comeback told(String state, Comeback comeback) {
    Progress.say(
        state
            + ": n_dead_tup "
            + Figures.format((double) comeback.dead())
            + ", first "
            + Comeback.FIRST
            + " jobs after "
            + Comeback.millis(comeback.firstMillis())
            + ", 85 % after "
            + Comeback.millis(comeback.fastMillis()));
    return comeback;
  }

  private void makeDead(int wanted) throws Exception {
    for (long made = 0; made < wanted; made += jobs) {
      drain(jobs);
    }
    Progress.say("n_dead_tup of job_ready: " + Figures.format((double) dead()));
  }

  private long dead() throws SQLException {
    return database.ask(
        "select n_dead_tup from pg_stat_user_tables"
            + " where schemaname = 'monotick' and relname = 'job_ready'");
  }

  private void add(int count) throws IOException {
    sender.ask("pause");
    Drain.fill(contender, sender, added, count);
    added += count;
  }

  private void drain(int count) throws Exception {
    add(count);
    sender.ask("resume");
    ran += count;
    Drain.awaitRun(contender, List.of(worker), ran);
  }

  private Course course() throws IOException {
    return Drain.course(List.of(worker));
  }

  private Comeback restart() throws Exception {
    add(burst);
    worker.close();
    worker = WorkerProcess.start(contender, database);
    ran = 0;
    sender.ask("resume");
    long dead = dead();
    long start = Clock.systemUTC().millis();
    worker.ask("work " + Use.DRAIN + " 0");
    return measure(start, dead);
  }

  private Comeback reconnect() throws Exception {
    add(burst);
    long dead = dead();
    long start = Clock.systemUTC().millis();
    long cut =
        database.ask(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()"
                + " and backend_type = 'client backend' and backend_xmin is null");
    Progress.say("  cut " + cut + " connections"); // not the holder's, which has an xmin
    try {
      sender.ask("resume");
    } catch (IOException e) { // its connections were cut, too
      sender.ask("resume");
    }
    return measure(start, dead);
  }

  private Comeback measure(long start, long dead) throws IOException, InterruptedException {
    long before = ran;
    ran += burst;
    long end = System.nanoTime() + PATIENCE.toNanos();
    long count = Long.parseLong(worker.ask("count"));
    while (count < ran && System.nanoTime() < end) {
      Progress.pause(LOOK);
      count = Long.parseLong(worker.ask("count"));
    }
    if (count < ran) {
      Progress.say("  ran " + (count - before) + " of " + burst + " jobs in 60 s");
    }
    return Comeback.of(course(), start, before, warm, dead);
  }

  @Override
  public void close() throws IOException, SQLException {
    WorkerProcess last = worker;
    try (database;
        sender;
        last) {
      Progress.say("  closing " + database.name());
    }
  }
}
