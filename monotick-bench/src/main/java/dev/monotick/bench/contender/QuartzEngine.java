package dev.monotick.bench.contender;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz with its clustered JDBC store: one durable job, and a trigger for each number. */
final class QuartzEngine implements JobEngine {

  private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
  private static final String DATA_SOURCE = "bench";
  private static final int THREADS = 20;
  private static final int CONNECTIONS = 32;

  private final DatabaseAccess connect;
  private final HikariDataSource pool;
  private final JobDetail job =
      JobBuilder.newJob(Job.class).withIdentity("bench").storeDurably().build();
  private @Nullable Scheduler sender;
  private @Nullable Scheduler worker;

  QuartzEngine(DatabaseAccess connect) {
    this.connect = connect;
    this.pool = connect.pool(CONNECTIONS);
    DBConnectionManager.getInstance().addConnectionProvider(DATA_SOURCE, new Provider(pool));
  }

  @Override
  public void install(EngineUse use) throws Exception {
    try (InputStream in = QuartzEngine.class.getResourceAsStream(TABLES)) {
      if (in == null) {
        throw new IOException("Quartz does not have " + TABLES + " any more");
      }
      connect.execute(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    sender().addJob(job, true);
  }

  @Override
  public void one(int number) throws SchedulerException {
    sender().scheduleJob(trigger(number));
  }

  @Override
  public void many(int from, int count) throws SchedulerException {
    Set<Trigger> triggers = new LinkedHashSet<>();
    for (int i = 0; i < count; i++) {
      triggers.add(trigger(from + i));
    }
    sender().scheduleJobs(Map.of(job, triggers), true);
  }

  private Trigger trigger(int number) {
    return TriggerBuilder.newTrigger()
        .withIdentity(String.valueOf(number))
        .forJob(job)
        .startNow()
        .build();
  }

  @Override
  public void work(EngineUse use, RunCounter tally) throws SchedulerException {
    Scheduler started = new StdSchedulerFactory(properties(use, "AUTO")).getScheduler();
    Job body = context -> tally.ran(Integer.parseInt(context.getTrigger().getKey().getName()));
    started.setJobFactory((bundle, owner) -> body);
    worker = started;
    started.start();
  }

  private synchronized Scheduler sender() throws SchedulerException {
    if (sender == null) {
      sender = new StdSchedulerFactory(properties(EngineUse.DRAIN, "sender")).getScheduler();
    }
    return sender;
  }

  private static Properties properties(EngineUse use, String id) {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", "bench");
    properties.setProperty("org.quartz.scheduler.instanceId", id);
    properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    properties.setProperty(
        "org.quartz.jobStore.driverDelegateClass",
        "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
    properties.setProperty("org.quartz.jobStore.isClustered", "true");
    properties.setProperty("org.quartz.jobStore.dataSource", DATA_SOURCE);
    properties.setProperty(
        "org.quartz.threadPool.threadCount", String.valueOf(use == EngineUse.IDLE ? 10 : THREADS));
    if (use != EngineUse.IDLE) {
      properties.setProperty(
          "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", String.valueOf(THREADS));
      properties.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
      // A backlog is no misfire; rewriting its triggers would only cost it time.
      properties.setProperty("org.quartz.jobStore.misfireThreshold", "3600000");
    }
    if (use == EngineUse.PICKUP) {
      properties.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
    }
    return properties;
  }

  @Override
  public void rest() throws SchedulerException {
    if (worker != null) {
      worker.shutdown(true);
      worker = null;
    }
  }

  @Override
  public void close() {
    try (pool) {
      rest();
      if (sender != null) {
        sender.shutdown(true);
      }
    } catch (SchedulerException e) {
      throw new IllegalStateException(e);
    }
  }

  private record Provider(HikariDataSource pool) implements ConnectionProvider {

    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void shutdown() {}

    @Override
    public void initialize() {}
  }
}
