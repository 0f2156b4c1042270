package dev.monotick.postgres.difference;

import java.util.ArrayList;
import java.util.List;

/** Drops steps from a run in which two stores differ, as long as they still do. */
final class Shrinker {

  private Shrinker() {}

  static List<Step> shrink(Stores stores, List<Step> steps) {
    List<Step> left = new ArrayList<>(steps);
    for (int piece = Math.max(1, left.size() / 2); piece >= 1; piece /= 2) {
      left = without(stores, left, piece);
    }
    int before;
    do {
      before = left.size();
      left = without(stores, left, 1);
    } while (left.size() < before);
    return left;
  }

  /** Drops pieces of that many steps, from the end on: late steps depend on early ones. */
  private static List<Step> without(Stores stores, List<Step> steps, int piece) {
    List<Step> left = steps;
    for (int from = steps.size() - piece; from >= 0; from -= piece) {
      List<Step> fewer = new ArrayList<>(left.subList(0, Math.min(from, left.size())));
      if (from + piece < left.size()) {
        fewer.addAll(left.subList(from + piece, left.size()));
      }
      if (fewer.size() < left.size() && Lockstep.replay(stores, fewer).isPresent()) {
        left = fewer;
      }
    }
    return left;
  }
}
