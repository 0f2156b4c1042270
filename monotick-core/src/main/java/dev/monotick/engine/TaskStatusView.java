package dev.monotick.engine;

import dev.monotick.engine.tick.ReplicaDifferences;
import dev.monotick.engine.tick.TaskLoop;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.task.TaskStatus;
import java.time.Instant;

/** A task as its loop sees it, for people. */
public final class TaskStatusView {

  private TaskStatusView() {}

  public static TaskStatus of(TaskLoop task, ReplicaDifferences differences) {
    SeriesState state = task.state();
    Instant backoff = null;
    String paused = null;
    if (state != null) {
      Instant notBefore = task.planner().notBefore(state);
      backoff = notBefore.equals(Instant.MIN) ? null : notBefore;
      SeriesPause pause = state.pause();
      if (pause != null) {
        paused = pause.note() + " (" + pause.by() + ")";
      } else if (task.planner().isPausedForFailures(state)) {
        paused = state.failures() + " failures in a row";
      }
    }
    String name = task.spec().name();
    String winner = task.supersededBy();
    return new TaskStatus(
        task.spec(),
        state == null ? 0 : state.failures(),
        winner == null ? task.next() : null,
        task.running(),
        backoff,
        paused,
        task.counters().snapshot(),
        differences.of(name),
        winner);
  }
}
