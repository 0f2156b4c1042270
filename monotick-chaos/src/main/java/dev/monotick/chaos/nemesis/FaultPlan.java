package dev.monotick.chaos.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What is going to happen, and when; follows from its seed alone. Faults are dealt like cards: from
 * a deck that holds each as often as its weight, shuffled again when it is empty. The first deck
 * holds each once, and begins with those without which a run proves nothing.
 */
public final class FaultPlan {

  /** What must have happened even in a short run. */
  private static final List<FaultKind> FIRST =
      List.of(
          FaultKind.PAUSE_BEFORE_EFFECT,
          FaultKind.KILL_LEADER,
          FaultKind.COMMIT_CUT,
          FaultKind.PAUSE_LONG,
          FaultKind.PARTITION,
          FaultKind.KILL_MID_EFFECT);

  private static final int SHORTEST_GAP_MILLIS = 2000;
  private static final int LONGEST_GAP_MILLIS = 7000;

  private FaultPlan() {}

  /**
   * Makes a plan.
   *
   * @param lasting how long the run lasts
   * @param kinds what may happen
   */
  public static List<PlannedFault> of(long seed, Duration lasting, Set<FaultKind> kinds) {
    SplittableRandom random = new SplittableRandom(seed);
    List<PlannedFault> strikes = new ArrayList<>();
    List<FaultKind> deck = firstDeck(kinds, random);
    Duration at = Duration.ofMillis(SHORTEST_GAP_MILLIS);
    while (at.compareTo(lasting) < 0 && !kinds.isEmpty()) {
      if (deck.isEmpty()) {
        deck = deck(kinds, random);
      }
      strikes.add(
          new PlannedFault(
              strikes.size() + 1,
              at,
              deck.remove(0),
              random.nextInt(1_000_000),
              random.nextDouble()));
      at = at.plusMillis(random.nextInt(SHORTEST_GAP_MILLIS, LONGEST_GAP_MILLIS));
    }
    return strikes;
  }

  private static List<FaultKind> firstDeck(Set<FaultKind> kinds, SplittableRandom random) {
    List<FaultKind> first = new ArrayList<>(FIRST);
    first.retainAll(kinds);
    List<FaultKind> rest = inOrder(kinds);
    rest.removeAll(first);
    shuffle(rest, random);
    first.addAll(rest);
    return first;
  }

  private static List<FaultKind> deck(Set<FaultKind> kinds, SplittableRandom random) {
    List<FaultKind> deck = new ArrayList<>();
    for (FaultKind kind : inOrder(kinds)) {
      for (int i = 0; i < kind.weight(); i++) {
        deck.add(kind);
      }
    }
    shuffle(deck, random);
    return deck;
  }

  private static List<FaultKind> inOrder(Set<FaultKind> kinds) {
    return new ArrayList<>(kinds.stream().sorted().toList());
  }

  private static void shuffle(List<FaultKind> kinds, SplittableRandom random) {
    for (int i = kinds.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      FaultKind swapped = kinds.get(i);
      kinds.set(i, kinds.get(other));
      kinds.set(other, swapped);
    }
  }
}
