package dev.monotick.chaos.workload;

import java.util.SplittableRandom;

/**
 * What a job is going to do, decided before it is added; it travels as its payload. So it is known
 * how many attempts the job must take and how it must end, whatever happens to its workers.
 *
 * @param millis how long an attempt takes
 * @param failures how many attempts fail first
 * @param permanent whether the last of those is one that no attempt would mend
 * @param snoozes whether its first run asks to be asked later
 */
public record JobPlan(int millis, int failures, boolean permanent, boolean snoozes) {

  /** How often a job is tried. */
  static final int MOST_ATTEMPTS = 4;

  /** What a run does. */
  enum Step {
    SUCCEED,
    /** Throws something. */
    THROW,
    /** Returns that it failed. */
    FAIL,
    /** Throws what is permanent. */
    THROW_FOR_GOOD,
    /** Returns that it failed for good. */
    FAIL_FOR_GOOD,
    SNOOZE
  }

  /**
   * Makes one up: most jobs take a moment, a few take long enough to be caught in the middle.
   *
   * @param longest milliseconds, at least 200
   */
  static JobPlan random(SplittableRandom random, int longest) {
    int millis = random.nextInt(100) < 3 ? 150 + random.nextInt(longest - 150) : random.nextInt(15);
    boolean snoozes = random.nextInt(100) < 3;
    int dice = random.nextInt(100);
    if (dice < 70) {
      return new JobPlan(millis, 0, false, snoozes);
    } else if (dice < 92) {
      return new JobPlan(millis, 1 + random.nextInt(MOST_ATTEMPTS - 1), false, snoozes);
    } else if (dice < 97) {
      return new JobPlan(millis, 1 + random.nextInt(MOST_ATTEMPTS), true, snoozes);
    }
    return new JobPlan(millis, MOST_ATTEMPTS, false, snoozes);
  }

  /**
   * Makes one up that takes a single run: it succeeds, or fails for good. One in four takes long,
   * so that faults strike while it runs.
   *
   * @param longest milliseconds, at least 200
   */
  static JobPlan once(SplittableRandom random, int longest) {
    int millis =
        random.nextInt(100) < 25 ? 150 + random.nextInt(longest - 150) : random.nextInt(15);
    boolean fails = random.nextInt(100) < 10;
    return new JobPlan(millis, fails ? 1 : 0, fails, false);
  }

  static JobPlan parse(String text) {
    String[] parts = text.split(" ", -1);
    return new JobPlan(
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Boolean.parseBoolean(parts[2]),
        Boolean.parseBoolean(parts[3]));
  }

  String text() {
    return millis + " " + failures + " " + permanent + " " + snoozes;
  }

  Step step(int attempt, int run) {
    if (snoozes && run == 1) {
      return Step.SNOOZE;
    }
    if (attempt > failures) {
      return Step.SUCCEED;
    }
    boolean throwing = (attempt + millis) % 2 == 0;
    if (permanent && attempt == failures) {
      return throwing ? Step.THROW_FOR_GOOD : Step.FAIL_FOR_GOOD;
    }
    return throwing ? Step.THROW : Step.FAIL;
  }

  public boolean succeeds() {
    return !permanent && failures < MOST_ATTEMPTS;
  }

  /** Returns how many attempts must have failed or succeeded in the end. */
  public int attempts() {
    return succeeds() ? failures + 1 : failures;
  }
}
