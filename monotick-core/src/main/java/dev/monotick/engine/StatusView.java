package dev.monotick.engine;

import dev.monotick.ledger.Pause;
import dev.monotick.ledger.TaskState;
import dev.monotick.task.TaskStatus;
import java.time.Instant;

/** A task as its loop sees it, for people. */
final class StatusView {

  private StatusView() {}

  static TaskStatus of(TaskLoop task, ReplicaDifferences differences) {
    TaskState state = task.state();
    Instant backoff = null;
    String paused = null;
    if (state != null) {
      Instant notBefore = task.planner().notBefore(state);
      backoff = notBefore.equals(Instant.MIN) ? null : notBefore;
      Pause pause = state.pause();
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
        state,
        winner == null ? task.next() : null,
        task.running(),
        backoff,
        paused,
        task.counters().snapshot(),
        differences.of(name),
        winner);
  }
}
