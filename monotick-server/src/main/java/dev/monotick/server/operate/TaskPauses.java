package dev.monotick.server.operate;

import dev.monotick.Monotick;
import dev.monotick.event.EventListener;
import dev.monotick.server.access.Caller;
import dev.monotick.server.database.ReplicaNotifications;
import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.EngineLifecycle;
import dev.monotick.task.TaskStatus;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Pauses of tasks that every replica runs for itself. The engine keeps those in the memory of the
 * replica that was asked; so that a pause holds on all of them, and on those that start later, it
 * is a row that each replica does as it says. Tasks that one replica runs need none of this: their
 * ledger is shared.
 */
@Component
class TaskPauses implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(TaskPauses.class);
  private static final String CHANGED = "pauses";

  private final Sql sql;
  private final Monotick monotick;
  private final EngineLifecycle life;
  private final ReplicaNotifications notifications;
  private final Set<String> done = new HashSet<>(); // guarded by this
  private final ThreadPoolTaskExecutor thread = new ThreadPoolTaskExecutor();
  private volatile boolean running;
  private volatile EventListener.Subscription notified = () -> {};

  /** Who paused a task, and why. */
  record Paused(String by, String note) {

    String words() {
      return "paused by " + by + ": " + note;
    }
  }

  TaskPauses(Sql sql, Monotick monotick, EngineLifecycle life, ReplicaNotifications notices) {
    this.sql = sql;
    this.monotick = monotick;
    this.life = life;
    this.notifications = notices;
  }

  /** Says whether pauses of a task are kept here. */
  static boolean isFor(TaskStatus task) {
    return !task.task().mode().isExclusive();
  }

  /** Adds a pause, in the open transaction. */
  void add(Caller caller, String task, String note) {
    sql.of(
            """
            insert into @task_pause (task, paused_by, note) values (:task, :by, :note)
            on conflict (task) do nothing
            """)
        .param("task", task)
        .param("by", caller.name())
        .param("note", note)
        .update();
  }

  /** Removes one, in the open transaction. */
  void remove(String task) {
    sql.of("delete from @task_pause where task = :task").param("task", task).update();
  }

  /** Has all replicas do as the table says, this one now. Call it after the commit. */
  void changed() {
    poll();
    notifications.publish(CHANGED);
  }

  /** Returns what is paused. */
  Map<String, Paused> all() {
    Map<String, Paused> all = new TreeMap<>();
    sql.of("select task, paused_by, note from @task_pause")
        .query(
            row -> {
              all.put(row.getString(1), new Paused(row.getString(2), row.getString(3)));
            });
    return all;
  }

  /** Does as the table says. What the engine paused by itself, after failures, stays so. */
  synchronized void poll() {
    if (life.state() != EngineLifecycle.State.RUNNING) {
      return;
    }
    Map<String, Paused> wanted = all();
    for (TaskStatus task : monotick.tasks()) {
      Paused pause = wanted.get(task.name());
      if (!isFor(task)) {
        continue;
      }
      if (pause != null && !done.contains(task.name())) {
        monotick.pause(task.name(), pause.by(), pause.note());
        done.add(task.name());
      } else if (pause == null && done.contains(task.name())) {
        monotick.resume(task.name());
        done.remove(task.name());
      }
    }
  }

  private void pollSafely() {
    try {
      poll();
    } catch (RuntimeException e) {
      log.warn("cannot read the pauses of tasks, trying again later: {}", e.toString());
    }
  }

  @Override
  public void start() {
    thread.setCorePoolSize(1);
    thread.setThreadNamePrefix("pauses-");
    thread.setDaemon(true);
    thread.initialize();
    running = true;
    notified = notifications.listen(CHANGED, () -> thread.execute(this::pollSafely));
    pollSafely();
  }

  @Override
  public void stop() {
    running = false;
    notified.close();
    thread.shutdown();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** After the engine has started, which it tells what to do. */
  @Override
  public int getPhase() {
    return 1;
  }
}
