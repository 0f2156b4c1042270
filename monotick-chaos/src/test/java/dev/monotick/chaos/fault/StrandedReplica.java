package dev.monotick.chaos.fault;

import dev.monotick.Monotick;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.network.ProxyBehaviour;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.postgres.schema.JobMaintenanceReport;
import dev.monotick.spi.replica.LeaseTiming;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/**
 * Two replicas on a real server: one behind a network that can be cut so that the replica loses its
 * membership, joins again by new connections, and hears only then what was sent on the old ones.
 * TCP does that, because it waits longer and longer before it sends a lost packet again; a proxy
 * does it in the same order every time.
 */
final class StrandedReplica implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  static final JobKind<String> LETTER = JobKind.named("letter", String.class);

  private static final LeaseTiming MEMBERSHIP =
      new LeaseTiming(
          Duration.ofSeconds(3),
          Duration.ofMillis(600),
          Duration.ofMillis(700),
          Duration.ofMillis(500));

  private final DatabaseServer server = Servers.shared();
  private final String schema = "stranded_" + UUID.randomUUID().toString().substring(0, 8);
  private final FaultProxy network = FaultProxy.to(server::address);
  private final Deque<Runnable> closing = new ArrayDeque<>();

  /** Which replica began which payload in which run. */
  final List<String> begun = new CopyOnWriteArrayList<>();

  final Jobs jobs = Monotick.jobs(store(server.address().getPort()));

  /** What a handler does after its begin was written down. */
  interface Handling {
    JobOutcome handle(JobContext<String> job) throws Exception;
  }

  /** Starts the replica that can be cut off. */
  Monotick startStranded(Handling handling) {
    return start("stranded", network.port(), handling);
  }

  /** Starts the other one. */
  Monotick startOther(Handling handling) {
    return start("other", server.address().getPort(), handling);
  }

  /** Nothing that is sent arrives, and nobody is told. */
  void cut() {
    network.strand();
    network.set(ProxyBehaviour.CUT_BOTH_WAYS);
  }

  /** New connections work. */
  void heal() {
    network.set(ProxyBehaviour.PASSING);
  }

  /** What was sent on old connections arrives. */
  void deliver() {
    network.release();
  }

  void run(String payload) {
    JobId id = jobs.enqueue(LETTER.of(payload)).id();
    await("end of " + payload, () -> is(id, JobState.SUCCEEDED));
  }

  boolean is(JobId id, JobState state) {
    return jobs.find(id).orElseThrow().state() == state;
  }

  void await(String what, BooleanSupplier condition) {
    Waiting.until(what, PATIENCE, condition);
  }

  long count(String table) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from " + schema + "." + table)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(table, e);
    }
  }

  void execute(String sql) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", schema + "."));
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** Gives jobs that are added from now on the numbers, and the partitions, of an earlier day. */
  void numberJobsAsDaysAgo(int days) {
    for (String table : List.of("job", "job_attempt", "job_log")) {
      execute(
          """
          do $do$
          declare
            day  timestamptz := date_trunc('day', now() - interval '%1$d days', 'UTC');
          begin
            execute format('create table %2$s_%%s partition of %2$s for values from (%%L) to (%%L)',
              to_char(day at time zone 'UTC', 'YYYYMMDD'), @job_first_id(day), @job_first_id(day + interval '1 day'));
          end
          $do$
          """
              .formatted(days, "@" + table));
    }
    execute(
        """
        create or replace function @job_id_now() returns bigint
        language sql volatile
        as $$
          select @job_first_id(clock_timestamp() - interval '%d days')
        $$
        """
            .formatted(days));
  }

  /** Drops what is older, as each replica does every hour. */
  JobMaintenanceReport maintain(Duration retention) {
    return JobMaintenance.of(server::connect, new SchemaName(schema), retention).run();
  }

  private Monotick start(String name, int port, Handling handling) {
    JobHandler<String> handler =
        job -> {
          begun.add(name + " " + job.payload() + " " + job.run());
          return handling.handle(job);
        };
    Monotick engine =
        Monotick.builder()
            .store(store(port))
            .replicaName(name)
            .concurrency(1)
            .handler(LETTER, handler)
            .build();
    closing.add(engine::close);
    engine.start();
    return engine;
  }

  private PostgresStore store(int port) {
    PostgresStore store =
        PostgresStore.builder()
            .url(server.url("127.0.0.1", port))
            .user(server.user())
            .password(server.password())
            .schema(schema)
            .membershipTiming(MEMBERSHIP)
            .build();
    closing.add(store::close);
    return store;
  }

  @Override
  public void close() {
    heal();
    deliver();
    while (!closing.isEmpty()) {
      closing.removeLast().run();
    }
    network.close();
    execute("drop schema if exists " + schema + " cascade");
  }
}
