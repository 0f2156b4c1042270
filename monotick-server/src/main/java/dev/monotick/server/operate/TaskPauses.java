package dev.monotick.server.operate;

import dev.monotick.Monotick;
import dev.monotick.event.Subscription;
import dev.monotick.server.access.Caller;
import dev.monotick.server.database.ReplicaNotices;
import dev.monotick.server.database.Sql;
import dev.monotick.server.engine.EngineLife;
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
  private final EngineLife life;
  private final ReplicaNotices notices;
  private final Set<String> done = new HashSet<>(); // guarded by this
  private final ThreadPoolTaskExecutor thread = new ThreadPoolTaskExecutor();
  private volatile boolean running;
  private volatile Subscription heard = () -> {};

  /** Who paused a task, and why. */
  record Paused(String by, String note) {

    String words() {
      return "paused by " + by + ": " + note;
    }
  }

  TaskPauses(Sql sql, Monotick monotick, EngineLife life, ReplicaNotices notices) {
    this.sql = sql;
    this.monotick = monotick;
    this.life = life;
    this.notices = notices;
  }

  /** Says whether pauses of a task are kept here. */
  static boolean isFor(TaskStatus task) {
    return !task.spec().mode().isExclusive();
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
    look();
    notices.tell(CHANGED);
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
  synchronized void look() {
    if (life.state() != EngineLife.State.RUNNING) {
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

  private void lookSafely() {
    try {
      look();
    } catch (RuntimeException e) {
      log.warn("pauses of tasks are looked at later: {}", e.toString());
    }
  }

  @Override
  public void start() {
    thread.setCorePoolSize(1);
    thread.setThreadNamePrefix("pauses-");
    thread.setDaemon(true);
    thread.initialize();
    running = true;
    heard = notices.listen(CHANGED, () -> thread.execute(this::lookSafely));
    lookSafely();
  }

  @Override
  public void stop() {
    running = false;
    heard.close();
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
