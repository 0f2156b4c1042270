package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.jobs.Contender.About;
import dev.monotick.bench.jobs.Contender.Most;
import dev.monotick.bench.jobs.Contender.Platform;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Who is measured: the one that ratios are of comes first. */
final class Contenders {

  private static final Contender MONOTICK =
      new Contender(
          "monotick",
          Platform.JAVA,
          Most.ANY,
          "select (select count(*) from monotick.job_ready)"
              + " + (select count(*) from monotick.job_delayed)"
              + " + (select count(*) from monotick.job_claim c, unnest(c.ids, c.runs) r (id, run)"
              + " where not exists (select from monotick.job_attempt a"
              + " where a.job_id = r.id and a.run = r.run))",
          new About(
              "Monotick",
              Map.of(
                  EngineUse.DRAIN,
                  "default settings: 20 handlers at a time",
                  EngineUse.PICKUP,
                  "default settings",
                  EngineUse.IDLE,
                  "default settings")));

  private static final Contender RAW_SQL =
      new Contender(
          "raw-sql",
          Platform.JAVA,
          Most.ANY,
          "select count(*) from job",
          new About(
              "plain SQL, the limit",
              Map.of(
                  EngineUse.DRAIN,
                  "one connection per process, 500 jobs a statement: update with skip locked, then"
                      + " delete and insert into a history",
                  EngineUse.PICKUP,
                  "listen and notify",
                  EngineUse.IDLE,
                  "listen, and a look every second")));

  private static final Contender DB_SCHEDULER =
      new Contender(
          "db-scheduler",
          Platform.JAVA,
          new Most(50_000, 50_000),
          "select count(*) from scheduled_tasks",
          new About(
              "db-scheduler 16.12.0",
              Map.of(
                  EngineUse.DRAIN,
                  "lock-and-fetch 4.0/20.0, 20 threads, polling every second, pool of 32",
                  EngineUse.PICKUP,
                  "lock-and-fetch 4.0/20.0, 20 threads, polling every 100 ms",
                  EngineUse.IDLE,
                  "default settings: polling every 10 s")));

  private static final Contender JOBRUNR =
      new Contender(
          "jobrunr",
          Platform.JAVA,
          new Most(30_000, 30_000),
          "select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'",
          new About(
              "JobRunr 8.7.0, open source",
              Map.of(
                  EngineUse.DRAIN,
                  "job requests, default number of workers, polling every 5 s (its shortest), pool of"
                      + " 32",
                  EngineUse.PICKUP,
                  "polling every 5 s (its shortest)",
                  EngineUse.IDLE,
                  "default settings: polling every 15 s")));

  private static final Contender QUARTZ =
      new Contender(
          "quartz",
          Platform.JAVA,
          new Most(6_000, 2_000),
          "select (select count(*) from qrtz_triggers) + (select count(*) from qrtz_fired_triggers)",
          new About(
              "Quartz 2.5.2, clustered JDBC store",
              Map.of(
                  EngineUse.DRAIN,
                  "20 threads, 20 triggers at once, one durable job, pool of 32",
                  EngineUse.PICKUP,
                  "the same, idleWaitTime 1 s (its shortest)",
                  EngineUse.IDLE,
                  "10 threads, otherwise default settings")));

  private static final Contender GRAPHILE_WORKER =
      new Contender(
          "graphile-worker",
          Platform.NODE,
          Most.ANY,
          "select count(*) from graphile_worker._private_jobs",
          new About(
              "graphile-worker 0.18.0",
              Map.of(
                  EngineUse.DRAIN,
                  "batch mode: concurrentJobs 24, localQueue.size 500, completeJobBatchDelay 0",
                  EngineUse.PICKUP,
                  "concurrentJobs 24, listen and notify",
                  EngineUse.IDLE,
                  "default settings")));

  private static final Contender PG_BOSS =
      new Contender(
          "pg-boss",
          Platform.NODE,
          Most.ANY,
          "select count(*) from pgboss.job where name = 'bench' and state < 'completed'",
          new About(
              "pg-boss 12.35.0",
              Map.of(
                  EngineUse.DRAIN,
                  "batchSize 1000, burstWhenBatchFull, polling every 0.5 s (its shortest)",
                  EngineUse.PICKUP,
                  "batchSize 1000, listen and notify",
                  EngineUse.IDLE,
                  "default settings")));

  /** All there are. */
  static final List<Contender> LIST =
      List.of(MONOTICK, DB_SCHEDULER, JOBRUNR, QUARTZ, GRAPHILE_WORKER, PG_BOSS, RAW_SQL);

  private Contenders() {}

  /**
   * Returns those that an option names: the first alone for {@code none}, the first and others by
   * name, or all.
   */
  static List<Contender> chosen(String peers) {
    Contender first = LIST.get(0);
    if (peers.equals("all")) {
      return LIST;
    }
    if (peers.equals("none")) {
      return List.of(first);
    }
    List<String> names = Arrays.asList(peers.split(",", -1));
    for (String name : names) {
      if (LIST.stream().noneMatch(each -> each.name().equals(name))) {
        throw new IllegalArgumentException(
            "--peers knows all, none, or names of "
                + LIST.stream().skip(1).map(Contender::name).toList()
                + ", but was "
                + peers);
      }
    }
    List<Contender> result = new ArrayList<>(List.of(first));
    LIST.stream().skip(1).filter(each -> names.contains(each.name())).forEach(result::add);
    return result;
  }

  /** Returns a list with another beginning for each round, so that nobody is always first. */
  static <T> List<T> turned(List<T> list, int round) {
    List<T> result = new ArrayList<>(list.subList(round % list.size(), list.size()));
    result.addAll(list.subList(0, round % list.size()));
    return result;
  }
}
