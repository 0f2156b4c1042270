package dev.monotick.schedule;

import java.util.Random;

/**
 * Random numbers of a seed: always the same in a build, so that a change is to blame for what a
 * change breaks; others by {@code -Dmonotick.seed=NUMBER}, new ones by {@code
 * -Dmonotick.seed=random}.
 */
final class Seeds {

  static final long SEED =
      "random".equals(System.getProperty("monotick.seed"))
          ? System.nanoTime()
          : Long.getLong("monotick.seed", Long.getLong("monotick.firstSeed", 1L));

  private Seeds() {}

  static Random random(String purpose) {
    return new Random(SEED ^ purpose.hashCode());
  }

  static String hint() {
    return "again with -Dmonotick.seed=" + SEED;
  }
}
