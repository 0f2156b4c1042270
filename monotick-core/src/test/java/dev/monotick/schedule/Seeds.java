package dev.monotick.schedule;

import java.util.Random;

/** Random numbers that a failing test can be given again: {@code -Dmonotick.seed=...}. */
final class Seeds {

  /** New ground with every run, unless told. */
  static final long SEED = Long.getLong("monotick.seed", System.nanoTime());

  private Seeds() {}

  static Random random(String purpose) {
    return new Random(SEED ^ purpose.hashCode());
  }

  static String hint() {
    return "again with -Dmonotick.seed=" + SEED;
  }
}
