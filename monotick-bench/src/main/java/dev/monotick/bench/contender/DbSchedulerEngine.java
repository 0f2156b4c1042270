package dev.monotick.bench.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** db-scheduler: a one-time task, whose instances are named by their number. */
final class DbSchedulerEngine implements JobEngine {

  private static final int THREADS = 20;
  private static final int CONNECTIONS = 32;

  /** The tables that its documentation gives for PostgreSQL. */
  private static final List<String> TABLES =
      List.of(
          "create table scheduled_tasks (task_name text not null, task_instance text not null,"
              + " task_data bytea, execution_time timestamptz not null, picked boolean not null,"
              + " picked_by text, last_success timestamptz, last_failure timestamptz,"
              + " consecutive_failures int, last_heartbeat timestamptz, version bigint not null,"
              + " priority smallint, primary key (task_name, task_instance))",
          "create index execution_time_idx on scheduled_tasks (execution_time)",
          "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");

  private final Clock clock = Clock.systemUTC();
  private final DatabaseAccess connect;
  private final HikariDataSource pool;
  private final SchedulerClient client;
  private final OneTimeTask<Void> name;
  private @Nullable Scheduler scheduler;

  DbSchedulerEngine(DatabaseAccess connect) {
    this.connect = connect;
    this.pool = connect.pool(CONNECTIONS);
    this.name = Tasks.oneTime("bench").execute((instance, context) -> {});
    this.client = SchedulerClient.Builder.create(pool, name).build();
  }

  @Override
  public void install(EngineUse use) throws SQLException {
    for (String sql : TABLES) {
      connect.execute(sql);
    }
  }

  @Override
  public void one(int number) {
    client.scheduleIfNotExists(name.instance(String.valueOf(number)), clock.instant());
  }

  @Override
  public void many(int from, int count) {
    List<TaskInstance<?>> instances = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      instances.add(name.instance(String.valueOf(from + i)));
    }
    client.scheduleBatch(instances, clock.instant());
  }

  @Override
  public void work(EngineUse use, RunCounter tally) {
    OneTimeTask<Void> task =
        Tasks.oneTime("bench")
            .execute((instance, context) -> tally.ran(Integer.parseInt(instance.getId())));
    SchedulerBuilder builder = Scheduler.create(pool, task);
    Scheduler started =
        switch (use) {
          case DRAIN -> tuned(builder, Duration.ofSeconds(1)).build();
          case PICKUP -> tuned(builder, Duration.ofMillis(100)).build();
          case IDLE -> builder.build();
        };
    scheduler = started;
    started.start();
  }

  private static SchedulerBuilder tuned(SchedulerBuilder builder, Duration polling) {
    return builder.threads(THREADS).pollUsingLockAndFetch(4.0, 20.0).pollingInterval(polling);
  }

  @Override
  public void rest() {
    if (scheduler != null) {
      scheduler.stop();
      scheduler = null;
    }
  }

  @Override
  public void close() {
    rest();
    pool.close();
  }
}
