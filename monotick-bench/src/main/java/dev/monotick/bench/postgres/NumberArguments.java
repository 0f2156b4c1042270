package dev.monotick.bench.postgres;

import java.util.List;

/**
 * The numbers on the command line of a benchmark; whoever gives wrong ones is told and sent off.
 */
final class NumberArguments {

  private final List<String> given;
  private int taken;

  NumberArguments(String[] given) {
    this.given = List.of(given);
  }

  /** Returns the next number, or the default if there are no more. */
  int next(String name, int otherwise, int least, int most) {
    if (taken >= given.size()) {
      return otherwise;
    }
    String text = given.get(taken++);
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like a number out of range
    }
    throw refuse(
        name + " must be a whole number from " + least + " to " + most + ", but was " + text);
  }

  /** Refuses what is left over. */
  void end() {
    if (taken < given.size()) {
      throw refuse(
          "there are only "
              + taken
              + " arguments, but also given was "
              + given.get(taken)
              + "; scripts/bench without arguments says which there are");
    }
  }

  static IllegalArgumentException refuse(String message) {
    System.err.println("bench: " + message);
    System.exit(2);
    return new IllegalArgumentException(message);
  }
}
