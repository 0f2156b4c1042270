package dev.monotick.bench.postgres;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.CronSchedule;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** db-scheduler: two schedulers, one recurring task whose cron is every second. */
final class DbSchedulerPeer implements AutoCloseable {

  private static final int CONNECTIONS = 10;

  private final List<Scheduler> schedulers = new ArrayList<>();
  private final List<HikariDataSource> pools = new ArrayList<>();

  private DbSchedulerPeer() {}

  static DbSchedulerPeer startDefault(BenchServer server, FiringDelays firings) throws Exception {
    return start(server, firings, "dbs_default", UnaryOperator.identity());
  }

  static DbSchedulerPeer startTuned(BenchServer server, FiringDelays firings) throws Exception {
    return start(
        server,
        firings,
        "dbs_tuned",
        builder -> builder.pollingInterval(Duration.ofSeconds(1)).pollUsingLockAndFetch(0.5, 1.0));
  }

  private static DbSchedulerPeer start(
      BenchServer server,
      FiringDelays firings,
      String table,
      UnaryOperator<SchedulerBuilder> settings)
      throws Exception {
    server.execute(
        "create table "
            + table
            + " (task_name text, task_instance text, task_data bytea,"
            + " execution_time timestamptz not null, picked boolean not null, picked_by text,"
            + " last_success timestamptz, last_failure timestamptz, consecutive_failures int,"
            + " last_heartbeat timestamptz, version bigint not null, priority smallint,"
            + " primary key (task_name, task_instance))");
    server.execute("create index on " + table + " (execution_time)");
    server.execute("create index on " + table + " (last_heartbeat)");
    DbSchedulerPeer peer = new DbSchedulerPeer();
    for (String id : List.of("a", "b")) {
      HikariDataSource pool = server.pool(CONNECTIONS);
      peer.pools.add(pool);
      RecurringTask<Void> task =
          Tasks.recurring("second", new CronSchedule("* * * * * *", ZoneOffset.UTC))
              .execute(
                  (instance, context) ->
                      firings.record("second", context.getExecution().getExecutionTime()));
      Scheduler scheduler =
          settings
              .apply(
                  Scheduler.create(pool)
                      .startTasks(List.of(task))
                      .tableName(table)
                      .schedulerName(new SchedulerName.Fixed(id)))
              .build();
      peer.schedulers.add(scheduler);
      scheduler.start();
    }
    return peer;
  }

  @Override
  public void close() {
    schedulers.forEach(Scheduler::stop);
    pools.forEach(HikariDataSource::close);
  }
}
