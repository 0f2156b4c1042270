package dev.monotick.bench.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz with its clustered JDBC store: two schedulers, one simple trigger of every second. */
final class QuartzPeer implements AutoCloseable {

  private static final String NAME = "bench";
  private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
  private static final int CONNECTIONS = 10;

  private final List<Scheduler> schedulers = new ArrayList<>();

  private QuartzPeer() {}

  static QuartzPeer start(BenchServer server, FiringDelays firings) throws Exception {
    server.execute(tables());
    QuartzPeer peer = new QuartzPeer();
    for (String id : List.of("a", "b")) {
      DBConnectionManager.getInstance()
          .addConnectionProvider(id, new Provider(server.pool(CONNECTIONS)));
      Scheduler scheduler = new StdSchedulerFactory(properties(id)).getScheduler();
      // Two of one name are a cluster; in one process the repository must not know the first.
      SchedulerRepository.getInstance().remove(NAME);
      Job job = context -> firings.record("second", context.getScheduledFireTime().toInstant());
      scheduler.setJobFactory((bundle, owner) -> job);
      peer.schedulers.add(scheduler);
    }
    Instant first = Clock.systemUTC().instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(3);
    peer.schedulers
        .get(0)
        .scheduleJob(
            JobBuilder.newJob(Job.class).withIdentity("second").build(),
            TriggerBuilder.newTrigger()
                .withIdentity("second")
                .startAt(Date.from(first))
                .withSchedule(SimpleScheduleBuilder.repeatSecondlyForever())
                .build());
    for (Scheduler scheduler : peer.schedulers) {
      scheduler.start();
    }
    return peer;
  }

  private static Properties properties(String id) {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", NAME);
    properties.setProperty("org.quartz.scheduler.instanceId", id);
    properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    properties.setProperty("org.quartz.threadPool.threadCount", "10");
    properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    properties.setProperty(
        "org.quartz.jobStore.driverDelegateClass",
        "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
    properties.setProperty("org.quartz.jobStore.isClustered", "true");
    properties.setProperty("org.quartz.jobStore.dataSource", id);
    return properties;
  }

  private static String tables() throws IOException {
    try (InputStream in = QuartzPeer.class.getResourceAsStream(TABLES)) {
      if (in == null) {
        throw new IllegalStateException("Quartz does not have " + TABLES + " any more");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() throws SchedulerException {
    for (Scheduler scheduler : schedulers) {
      scheduler.shutdown(true);
    }
  }

  private record Provider(HikariDataSource pool) implements ConnectionProvider {

    @Override
    public Connection getConnection() throws java.sql.SQLException {
      return pool.getConnection();
    }

    @Override
    public void shutdown() {
      pool.close();
    }

    @Override
    public void initialize() {}
  }
}
