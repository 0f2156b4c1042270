package dev.monotick.task;

import dev.monotick.schedule.Schedule;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A task whose values were checked, as {@link TaskBuilder} builds it.
 *
 * @param name see {@link Task#name()}
 * @param schedule see {@link Task#schedule()}; as the task of this name sees it
 * @param mode see {@link Task#mode()}
 * @param effect see {@link Task#effect()}
 * @param group see {@link Task#group()}
 * @param overlap see {@link Task#overlap()}
 * @param catchUp see {@link Task#catchUp()}
 * @param timeout see {@link Task#timeout()}
 * @param backoff see {@link Task#backoff()}
 * @param pauseAfterFailures see {@link Task#pauseAfterFailures()}
 * @param jitter see {@link Task#jitter()}
 * @param runAtStart see {@link Task#runAtStart()}
 * @param slots see {@link Task#slots()}
 * @param body what {@link Task#execute} runs
 */
record BuiltTask(
    String name,
    Schedule schedule,
    HaMode mode,
    Effect effect,
    String group,
    Overlap overlap,
    CatchUp catchUp,
    Duration timeout,
    Backoff backoff,
    int pauseAfterFailures,
    Duration jitter,
    boolean runAtStart,
    int slots,
    TaskBody body)
    implements Task {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

  /**
   * Checks every value, and that they do not contradict each other.
   *
   * @throws IllegalArgumentException if something is missing or wrong; names option, value, remedy
   */
  @SuppressWarnings("NullAway") // null is what a caller without null checks may pass; refused below
  BuiltTask(
      @Nullable String name,
      @Nullable Schedule schedule,
      @Nullable HaMode mode,
      @Nullable Effect effect,
      @Nullable String group,
      @Nullable Overlap overlap,
      @Nullable CatchUp catchUp,
      @Nullable Duration timeout,
      @Nullable Backoff backoff,
      int pauseAfterFailures,
      @Nullable Duration jitter,
      boolean runAtStart,
      int slots,
      @Nullable TaskBody body) {
    this.name = checkName("task name", name);
    this.mode = required(mode, "mode", "declare one of EVERY_REPLICA, LEADER, ONE_REPLICA, SHARED");
    this.schedule =
        required(schedule, "schedule", "give it one by every(..), cron(..) or schedule(..)")
            .forTask(name);
    this.body = required(body, "body", "end the task with run(context -> ...)");
    this.effect = required(effect, "effect", "leave it out for AT_MOST_ONCE");
    this.group = checkName("task " + name + ": group", group);
    this.overlap = required(overlap, "overlap", "leave it out for SKIP");
    this.catchUp = required(catchUp, "catchUp", "leave it out for the latest within 24 hours");
    this.timeout = required(timeout, "timeout", "leave it out for two minutes");
    this.backoff = required(backoff, "backoff", "leave it out for one second up to 15 minutes");
    this.jitter = required(jitter, "jitter", "leave it out for none");
    this.pauseAfterFailures = pauseAfterFailures;
    this.runAtStart = runAtStart;
    this.slots = slots;
    checkRanges();
    checkContradictions();
  }

  @Override
  public void execute(TaskContext context) throws Exception {
    body.execute(context);
  }

  private void checkRanges() {
    check(
        !timeout.isNegative() && !timeout.isZero() && timeout.compareTo(MAXIMUM_TIMEOUT) <= 0,
        "timeout must be longer than PT0S and at most " + MAXIMUM_TIMEOUT + ", but was " + timeout,
        "split longer work into jobs");
    check(
        !jitter.isNegative(),
        "jitter must not be negative, but was " + jitter,
        "use PT0S for none");
    check(
        pauseAfterFailures >= 0,
        "pauseAfterFailures must be at least 0, but was " + pauseAfterFailures,
        "use 0 for never");
    check(slots >= 1, "slots must be at least 1, but was " + slots, "use 1 or more");
  }

  private void checkContradictions() {
    check(
        mode == HaMode.LEADER || group.equals(DEFAULT_GROUP),
        "group " + group + " has no effect with mode " + mode,
        "use mode LEADER or leave the group out");
    check(
        mode == HaMode.SHARED || slots == 1,
        "slots " + slots + " have no effect with mode " + mode,
        "use mode SHARED or leave the slots out");
    check(
        mode != HaMode.SHARED || overlap == Overlap.SKIP,
        "overlap "
            + overlap
            + " contradicts mode SHARED, where slots decide what runs side by side",
        "leave the overlap out and raise the slots");
    check(
        mode.isExclusive() || effect == Effect.AT_MOST_ONCE,
        "effect " + effect + " contradicts mode " + mode + ", whose ticks die with their replica",
        "use mode LEADER or ONE_REPLICA, or leave the effect out");
    check(
        overlap != Overlap.CANCEL_PREVIOUS || catchUp.maximum() == 1,
        "catchUp of up to "
            + catchUp.maximum()
            + " ticks contradicts overlap CANCEL_PREVIOUS: each would cancel the one before",
        "use CatchUp.latestWithin(..) or another overlap");
    boolean endAnchored = schedule.anchor() == Schedule.Anchor.LAST_END;
    check(
        !endAnchored || overlap == Overlap.SKIP,
        "overlap " + overlap + " contradicts a fixed delay, which starts when the last run ended",
        "leave the overlap out or use every(..)");
    check(
        !endAnchored || catchUp.maximum() == 1,
        "catchUp of up to "
            + catchUp.maximum()
            + " ticks contradicts a fixed delay: it has no past",
        "leave the catchUp out or use every(..)");
    Optional<Instant> first = schedule.next(Instant.EPOCH);
    Optional<Instant> second = first.flatMap(schedule::next);
    if (second.isPresent()) {
      Duration period = Duration.between(first.get(), second.get());
      check(
          jitter.compareTo(period) < 0,
          "jitter must be shorter than the period " + period + ", but was " + jitter,
          "shorten it");
    }
  }

  private void check(boolean holds, String problem, String remedy) {
    if (!holds) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "task %s: %s; %s", name, problem, remedy));
    }
  }

  private <T> T required(@Nullable T value, String option, String remedy) {
    if (value == null) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "task %s: %s is missing; %s", name, option, remedy));
    }
    return value;
  }

  /** Returns the name if it can be one, else says why not. */
  private static String checkName(String what, @Nullable String name) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what
              + " must be 1 to 200 letters, digits, dots, dashes or underscores and begin with a"
              + " letter or digit, but was "
              + (name == null ? "null" : "\"" + name + "\"")
              + "; rename it");
    }
    return name;
  }
}
