package dev.monotick.task;

/** The work of a task. */
@FunctionalInterface
public interface TaskBody {

  /** Runs one tick. Whatever is thrown makes the tick fail; the loop goes on. */
  void execute(TaskContext context) throws Exception;
}
