package dev.monotick.chaos.nemesis;

import java.time.Duration;

/**
 * One fault of a plan.
 *
 * @param number from 1
 * @param at when, from the beginning of the run
 * @param kind what
 * @param target which replica, by its place among those that can be taken
 * @param size from 0 to 1: how long, how far
 */
public record PlannedFault(int number, Duration at, FaultKind kind, int target, double size) {

  /** Returns what is as far between two values as the size is between 0 and 1. */
  double between(double least, double most) {
    return least + size * (most - least);
  }
}
