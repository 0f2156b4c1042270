package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import dev.monotick.bench.postgres.StolenTime;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Has processes of a contender run all jobs that were added before. */
final class Drain {

  private static final int CHUNK = 10_000;
  private static final Duration POLL_INTERVAL =
      Duration.ofMillis(3); // some drains take half a second
  private static final Duration STUCK = Duration.ofMinutes(2);

  private final BenchServer server;
  private final int warmUps;

  /**
   * What a drain came to.
   *
   * @param all jobs per second, from the word to begin until none is left in the database
   * @param steady jobs per second while 20 % to 95 % of the jobs were run
   * @param workerCpu milliseconds of processor time of the workers per job
   * @param serverCpu the same of the server
   * @param stolen percent of all processor time that the hypervisor gave to others meanwhile
   * @param fault what was wrong, or empty: each job must have been run once, and none be left
   */
  record Result(
      double all, double steady, double workerCpu, double serverCpu, double stolen, String fault) {

    static FigureFormat figures(List<Result> results, ToDoubleFunction<Result> value) {
      return FigureFormat.of(results, value);
    }
  }

  /**
   * Prepares drains.
   *
   * @param warmUps how many drains each worker process goes through before the one that counts
   */
  Drain(BenchServer server, int warmUps) {
    this.server = server;
    this.warmUps = warmUps;
  }

  /** Adds jobs in a new database, and drains them. */
  Result run(Contender contender, int jobs, int processes) throws Exception {
    try (BenchDatabase database = BenchDatabase.create(server, "drain_" + contender.name())) {
      List<ContenderProcess> workers = new ArrayList<>();
      try {
        fill(contender, database, 0, jobs, true);
        for (int i = 0; i < processes; i++) {
          workers.add(ContenderProcess.start(contender, database));
        }
        for (int i = 0; i < warmUps; i++) {
          drain(contender, database, jobs, workers);
          for (ContenderProcess worker : workers) {
            worker.request("rest");
          }
          fill(contender, database, 0, jobs, false);
        }
        return drain(contender, database, jobs, workers);
      } finally {
        for (ContenderProcess worker : workers) {
          worker.close();
        }
      }
    }
  }

  /** Adds jobs with those numbers by a process of its own. */
  static void fill(Contender contender, BenchDatabase database, int from, int count, boolean first)
      throws IOException {
    try (ContenderProcess sender = ContenderProcess.start(contender, database)) {
      if (first) {
        sender.request("install");
      }
      fill(contender, sender, from, count);
    }
  }

  /** Has a process add jobs with those numbers. */
  static void fill(Contender contender, ContenderProcess sender, int from, int count)
      throws IOException {
    ProgressLine told = new ProgressLine(contender.name() + " adds jobs");
    for (int done = 0; done < count; done += CHUNK) {
      sender.request("add " + (from + done) + " " + Math.min(CHUNK, count - done));
      told.at(done, count);
    }
  }

  private Result drain(
      Contender contender, BenchDatabase database, int jobs, List<ContenderProcess> workers)
      throws Exception {
    database.awaitQuiet();
    try (Connection connection = database.connect()) { // before the clock starts
      return drain(contender, connection, jobs, workers);
    }
  }

  private Result drain(
      Contender contender, Connection connection, int jobs, List<ContenderProcess> workers)
      throws Exception {
    StolenTime stolenBefore = StolenTime.now();
    Duration serverBefore = server.serverCpu();
    Duration workersBefore = cpu(workers);
    long start = Clock.systemUTC().millis();
    for (ContenderProcess worker : workers) {
      worker.send("work " + EngineUse.DRAIN + " " + jobs);
    }
    for (ContenderProcess worker : workers) {
      worker.receive();
    }
    awaitRun(contender, workers, jobs);
    long left = awaitNoneLeft(contender, connection);
    long end = Clock.systemUTC().millis();
    double workerCpu = cpu(workers).minus(workersBefore).toMillis() / (double) jobs;
    double serverCpu = server.serverCpu().minus(serverBefore).toMillis() / (double) jobs;
    RunCourse course = course(workers);
    BenchmarkProgress.report("  the first job was run after " + (course.when(1) - start) + " ms");
    return new Result(
        jobs * 1000.0 / (end - start),
        course.steady(jobs),
        workerCpu,
        serverCpu,
        StolenTime.now().percentSince(stolenBefore),
        fault(course, jobs, left));
  }

  static RunCourse course(List<ContenderProcess> workers) throws IOException {
    List<String> reports = new ArrayList<>();
    for (ContenderProcess worker : workers) {
      reports.add(worker.request("report"));
    }
    return RunCourse.of(reports);
  }

  private static Duration cpu(List<ContenderProcess> workers) {
    return workers.stream().map(ContenderProcess::cpu).reduce(Duration.ZERO, Duration::plus);
  }

  /** Waits until workers have run so many jobs; gives up on those that make no progress. */
  static void awaitRun(Contender contender, List<ContenderProcess> workers, long jobs)
      throws IOException, InterruptedException {
    ProgressLine told = new ProgressLine(contender.name() + " runs jobs");
    long before = -1;
    long progress = System.nanoTime();
    while (true) {
      long count = 0;
      for (ContenderProcess worker : workers) {
        count += Long.parseLong(worker.request("count"));
      }
      if (count >= jobs) {
        return;
      }
      if (count > before) {
        before = count;
        progress = System.nanoTime();
      } else if (System.nanoTime() - progress > STUCK.toNanos()) {
        throw new IOException(
            contender.name()
                + " ran "
                + count
                + " of "
                + jobs
                + " jobs, then none for "
                + STUCK.toSeconds()
                + " s\n"
                + workers.get(0).lastWords());
      }
      told.at(count, jobs);
      BenchmarkProgress.pause(POLL_INTERVAL);
    }
  }

  /** What was run must also be recorded; returns how many are not after a while. */
  private static long awaitNoneLeft(Contender contender, Connection connection)
      throws SQLException, InterruptedException {
    long give = System.nanoTime() + STUCK.toNanos();
    long left = BenchDatabase.ask(connection, contender.left());
    while (left > 0 && System.nanoTime() < give) {
      BenchmarkProgress.pause(POLL_INTERVAL);
      left = BenchDatabase.ask(connection, contender.left());
    }
    return left;
  }

  static String fault(RunCourse course, int jobs, long left) {
    int distinct = course.numbers().get(0, jobs).cardinality();
    if (left == 0 && course.executed() == jobs && distinct == jobs) {
      return "";
    }
    return jobs
        + " jobs: "
        + course.executed()
        + " runs of "
        + distinct
        + " jobs, "
        + left
        + " jobs left";
  }
}
