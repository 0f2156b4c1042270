package dev.monotick.chaos.nemesis;

/** Does something bad, waits as long as it is to last, and undoes it. */
@FunctionalInterface
interface Fault {

  /**
   * Strikes. Returns when all is as before, but for what cannot be undone.
   *
   * @throws Passed if it cannot be done now
   */
  void strike(PlannedFault strike) throws Exception;

  /** Thrown when nothing was done, because nobody was there to do it to. */
  final class Passed extends Exception {

    private static final long serialVersionUID = 1L;

    Passed(String why) {
      super(why, null, false, false);
    }
  }
}
