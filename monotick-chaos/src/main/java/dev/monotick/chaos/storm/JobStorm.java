package dev.monotick.chaos.storm;

import dev.monotick.Monotick;
import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.workload.PlannedJobKinds;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.schema.JobMaintenance;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Adds jobs of several kinds, some of which are planned to fail, has worker processes run them, and
 * kills and pauses those and drops their packets all the time. In the end all that was written down
 * is checked.
 */
public final class JobStorm {

  private static final Duration ROUND = Duration.ofMillis(50);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(2);

  /** For a zombie that was let go on to tell what it has done. */
  private static final Duration CALM = Duration.ofSeconds(3);

  private static final int LONGEST_CHECK_MILLIS = 900_000;

  private final StormSettings settings;
  private final EmbeddedServer server;
  private final Path folder;
  private final Consumer<String> out;
  private final Journal journal = new Journal();

  /**
   * Prepares a storm.
   *
   * @param server has no storm yet
   * @param folder for what the processes write
   * @param out is told of the progress
   */
  public JobStorm(
      StormSettings settings, EmbeddedServer server, Path folder, Consumer<String> out) {
    this.settings = settings;
    this.server = server;
    this.folder = folder;
    this.out = out;
  }

  /** Runs it, and checks it. */
  public StormResult run() throws SQLException, InterruptedException {
    SplittableRandom random = new SplittableRandom(settings.seed());
    InetSocketAddress address = server.address();
    try (PostgresStore store =
            PostgresStore.builder()
                .url(server.url(address.getAddress().getHostAddress(), address.getPort()))
                .user(server.user())
                .password(server.password())
                .schema(StormTables.STORE)
                .build();
        StormNetwork network =
            settings.packetLoss()
                ? StormNetwork.lossy(server, settings.workers())
                : StormNetwork.plain(server);
        StormWorkers workers = new StormWorkers(server, network, folder, journal);
        Connection feeding = connect();
        Connection watching = connect()) {
      StormTables.create(watching, StormTables.STORE);
      Jobs jobs = Monotick.jobs(store);
      PlannedJobKinds.LIMITS.forEach(jobs::limit);
      workers.start(settings.workers());
      JobFeeder feeder =
          new JobFeeder(jobs, feeding, settings.jobs(), settings.lasting(), random.split());
      StormFaults faults = new StormFaults(workers, feeder, random.split());
      Thread thread = new Thread(feeder, "feeder");
      thread.setDaemon(true);
      thread.start();
      StormRefusals refusals = new StormRefusals(watching, settings.refusals(), random.split());
      StormPurges purges =
          new StormPurges(
              watching,
              jobs,
              JobMaintenance.of(
                  server::connect, new SchemaName(StormTables.STORE), Duration.ofDays(1)));
      rage(feeder, faults, refusals, purges, watching);
      faults.end();
      refusals.end();
      Waiting.let(CALM);
      workers.stop();
      out.accept("checking");
      return result(watching, faults, refusals, purges);
    }
  }

  /** Goes on until all jobs were added and have ended, or nothing happens any more. */
  private void rage(
      JobFeeder feeder,
      StormFaults faults,
      StormRefusals refusals,
      StormPurges purges,
      Connection watching)
      throws SQLException {
    StormProgress progress = new StormProgress(watching);
    long start = System.nanoTime();
    long looked = start;
    while (true) {
      faults.step(faults.isLull() && StormProgress.isOver(watching, StormTables.STORE));
      purges.step(faults.silent());
      boolean wantsRefusals = !refusals.isDone() || (settings.isLong() && !feeder.isOver());
      // In a lull they would keep the workers from becoming idle, and nothing would be handed off.
      if (wantsRefusals && !faults.isLull()) {
        refusals.step();
      } else {
        refusals.end();
      }
      Waiting.let(ROUND);
      if (System.nanoTime() - looked < POLL_INTERVAL.toNanos()) {
        continue;
      }
      looked = System.nanoTime();
      journal.add("storm", WallClock.now());
      boolean allAdded = feeder.isOver();
      progress.poll();
      out.accept(
          Duration.ofNanos(looked - start).toSeconds()
              + " s: added "
              + feeder.added()
              + ", "
              + progress
              + ", kills "
              + faults.kills()
              + ", pauses "
              + faults.pauses()
              + ", losses "
              + faults.losses()
              + ", refusals "
              + refusals.struck()
              + ", purged "
              + purges.purged()
              + ", refused "
              + refused());
      if (allAdded && progress.isEmpty() && !faults.isLull()) {
        return;
      }
      if (progress.standsStill()) {
        out.accept("nothing happens any more");
        return;
      }
    }
  }

  private StormResult result(
      Connection connection, StormFaults faults, StormRefusals refusals, StormPurges purges)
      throws SQLException {
    WallClock clock = WallClock.of(journal.all());
    FrozenTimes.of(journal.all()).write(connection, clock);
    PacketLosses.of(journal.all()).write(connection, clock);
    List<String> revived = StormPurges.revived(connection);
    List<String> violations = new ArrayList<>();
    Map<String, Long> found = new LinkedHashMap<>();
    found.put(StormRules.REVIVED, (long) revived.size());
    if (revived.isEmpty()) {
      StormPurges.putBack(connection);
    } else {
      violations.add(StormRules.REVIVED + ": purged job is there again: " + revived);
    }
    StormCheck check = StormCheck.of(connection, StormTables.STORE, true);
    violations.addAll(check.violations());
    found.putAll(check.found());
    return new StormResult(
        count(connection, "select count(*) from watch.job"),
        count(connection, "select count(*) from watch.run where word = 'begin'"),
        faults.kills(),
        faults.pauses(),
        faults.longPauses(),
        new StormResult.Losses(
            settings.packetLoss(),
            settings.isLong(),
            faults.losses(),
            count(connection, PacketLosses.REJOINED)),
        new StormResult.HandoffCounts(
            count(connection, "select count(*) from watch.claim where handed"),
            count(connection, PacketLosses.HANDED_AND_RESCUED),
            count(connection, PacketLosses.HANDED_DURING_LOSS)),
        refusals.struck(),
        new StormResult.Purges(settings.isLong(), purges.purged(), purges.upkeeps()),
        count(connection, "select count(*) from storm.job_attempt where outcome = 8"),
        refused(),
        found,
        violations);
  }

  private long refused() {
    return journal.of("refused").count();
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private Connection connect() throws SQLException {
    Connection connection = server.connect();
    connection.setNetworkTimeout(Runnable::run, LONGEST_CHECK_MILLIS);
    return connection;
  }
}
