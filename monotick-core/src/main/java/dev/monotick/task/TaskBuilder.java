package dev.monotick.task;

import dev.monotick.schedule.Schedule;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Task} from a lambda. Mode and schedule must be given, all else has a default;
 * {@link #run} ends it. Not thread-safe.
 */
public final class TaskBuilder {

  private final String name;
  private @Nullable Schedule schedule;
  private @Nullable HaMode mode;
  private Effect effect = Effect.AT_MOST_ONCE;
  private String group = Task.DEFAULT_GROUP;
  private Overlap overlap = Overlap.SKIP;
  private CatchUp catchUp = CatchUp.ofDefaults();
  private Duration timeout = Task.DEFAULT_TIMEOUT;
  private Backoff backoff = Backoff.ofDefaults();
  private int pauseAfterFailures;
  private Duration jitter = Duration.ZERO;
  private boolean runAtStart;
  private int slots = 1;
  private boolean replacesSchedule;

  TaskBuilder(String name) {
    this.name = name;
  }

  /** Begins with the values of a task, whose schedule may be replaced once. */
  TaskBuilder(Task task) {
    this.name = task.name();
    this.schedule = task.schedule();
    this.mode = task.mode();
    this.effect = task.effect();
    this.group = task.group();
    this.overlap = task.overlap();
    this.catchUp = task.catchUp();
    this.timeout = task.timeout();
    this.backoff = task.backoff();
    this.pauseAfterFailures = task.pauseAfterFailures();
    this.jitter = task.jitter();
    this.runAtStart = task.runAtStart();
    this.slots = task.slots();
    this.replacesSchedule = true;
  }

  /** Due at every whole multiple of {@code interval} since the epoch, the same on all replicas. */
  public TaskBuilder every(Duration interval) {
    return schedule(Schedule.every(interval));
  }

  /** Due by a cron expression, in UTC. */
  public TaskBuilder cron(String expression) {
    return schedule(Schedule.cron(expression));
  }

  /** Due by a cron expression in a time zone. */
  public TaskBuilder cron(String expression, ZoneId zone) {
    return schedule(Schedule.cron(expression, zone));
  }

  /** Due {@code delay} after the end of the last run. */
  public TaskBuilder fixedDelay(Duration delay) {
    return schedule(Schedule.fixedDelay(delay));
  }

  /**
   * Due by any schedule.
   *
   * @throws IllegalArgumentException if the task has a schedule already
   */
  public TaskBuilder schedule(Schedule schedule) {
    if (this.schedule != null && !replacesSchedule) {
      throw new IllegalArgumentException(
          "task "
              + name
              + ": the schedule is already "
              + this.schedule
              + ", so "
              + schedule
              + " cannot be set too; keep one of them, or combine both by"
              + " Schedule.every(..).or(Schedule.cron(..))");
    }
    this.schedule = schedule;
    this.replacesSchedule = false;
    return this;
  }

  /** Which replicas run a tick. Required. */
  public TaskBuilder mode(HaMode mode) {
    this.mode = mode;
    return this;
  }

  /** What a tick promises when its replica dies; by default {@link Effect#AT_MOST_ONCE}. */
  public TaskBuilder effect(Effect effect) {
    this.effect = effect;
    return this;
  }

  /** The leadership group, for {@link HaMode#LEADER}; by default {@link Task#DEFAULT_GROUP}. */
  public TaskBuilder group(String group) {
    this.group = group;
    return this;
  }

  /** What happens to a tick that finds another run; by default {@link Overlap#SKIP}. */
  public TaskBuilder overlap(Overlap overlap) {
    this.overlap = overlap;
    return this;
  }

  /** What happens to ticks that nobody was there for; by default the latest within 24 hours. */
  public TaskBuilder catchUp(CatchUp catchUp) {
    this.catchUp = catchUp;
    return this;
  }

  /** How long a run may take; by default two minutes. */
  public TaskBuilder timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** How long the task is left alone after failures; by default one second up to 15 minutes. */
  public TaskBuilder backoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** After how many failures in a row the task pauses; by default never. */
  public TaskBuilder pauseAfterFailures(int failures) {
    this.pauseAfterFailures = failures;
    return this;
  }

  /** By how much ticks are spread; by default not at all. */
  public TaskBuilder jitter(Duration jitter) {
    this.jitter = jitter;
    return this;
  }

  /** Whether the current period's tick runs at start if nobody ran it; by default not. */
  public TaskBuilder runAtStart(boolean runAtStart) {
    this.runAtStart = runAtStart;
    return this;
  }

  /** How many pieces of work a replica may have at a time, for {@link HaMode#SHARED}. */
  public TaskBuilder slots(int slots) {
    this.slots = slots;
    return this;
  }

  /**
   * Ends the task with its body.
   *
   * @throws IllegalArgumentException if mode or schedule are missing, or policies contradict
   */
  public Task run(TaskBody body) {
    return new BuiltTask(
        name,
        schedule,
        mode,
        effect,
        group,
        overlap,
        catchUp,
        timeout,
        backoff,
        pauseAfterFailures,
        jitter,
        runAtStart,
        slots,
        body);
  }
}
