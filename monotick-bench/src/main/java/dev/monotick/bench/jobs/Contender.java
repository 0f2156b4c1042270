package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import java.util.Map;

/**
 * A job engine that is measured.
 *
 * @param name what options and results call it
 * @param platform what its processes run on
 * @param most how many jobs it is given to drain at the most
 * @param left how many jobs are not over yet, as SQL
 * @param about what a reader must know of it
 */
record Contender(String name, Platform platform, Most most, String left, About about) {

  /**
   * How many jobs are drained at the most, so that slow engines end.
   *
   * @param ofOne by one process
   * @param ofTwo by two
   */
  record Most(int ofOne, int ofTwo) {

    static final Most ANY = new Most(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  /**
   * What a reader must know.
   *
   * @param title name and version
   * @param settings what it is configured with for what it is measured in
   */
  record About(String title, Map<EngineUse, String> settings) {}

  /** What processes run on. */
  enum Platform {
    JAVA,
    NODE
  }

  int jobs(int wanted, int processes) {
    return Math.min(wanted, processes == 1 ? most.ofOne() : most.ofTwo());
  }

  String settings(EngineUse use) {
    return about.settings().getOrDefault(use, "default settings");
  }
}
