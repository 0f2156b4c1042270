package dev.monotick.proof;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explores every state that can be reached, breadth first, so that what it finds is found by a
 * shortest way. It shares nothing with TLC but the idea.
 */
final class Explorer<S> {

  /**
   * One way to go on.
   *
   * @param words what happens, asked for only on the way to a violation
   */
  record Step<S>(S after, Supplier<String> words) {}

  /**
   * What was found.
   *
   * @param states how many different states were reached
   * @param isViolated whether one of them violates the property
   * @param steps the shortest way to that one, in words
   * @param hasCycle whether some state can be reached again; false if a property is violated
   */
  record Exploration(int states, boolean isViolated, List<String> steps, boolean hasCycle) {}

  private final Function<S, List<Step<S>>> next;
  private final List<S> states = new ArrayList<>();
  private final List<int[]> successors = new ArrayList<>();
  private final List<Integer> parents = new ArrayList<>();
  private final Map<S, Integer> numbers = new HashMap<>();

  /** Prepares to explore by a function that returns all ways to go on from a state. */
  Explorer(Function<S, List<Step<S>>> next) {
    this.next = next;
  }

  /** Explores until a state violates a property, which also sees how that state may go on. */
  Exploration explore(S initial, BiPredicate<S, List<Step<S>>> holds) {
    number(initial, -1);
    for (int state = 0; state < states.size(); state++) {
      List<Step<S>> steps = next.apply(states.get(state));
      if (!holds.test(states.get(state), steps)) {
        return new Exploration(states.size(), true, way(state), false);
      }
      int from = state;
      successors.add(steps.stream().mapToInt(step -> number(step.after(), from)).toArray());
    }
    return new Exploration(states.size(), false, List.of(), hasCycle());
  }

  private int number(S state, int parent) {
    @Nullable Integer known = numbers.putIfAbsent(state, states.size());
    if (known != null) {
      return known;
    }
    states.add(state);
    parents.add(parent);
    return states.size() - 1;
  }

  private List<String> way(int last) {
    List<String> words = new ArrayList<>();
    for (int state = last; parents.get(state) >= 0; state = parents.get(state)) {
      S after = states.get(state);
      words.add(
          next.apply(states.get(parents.get(state))).stream()
              .filter(step -> step.after().equals(after))
              .findFirst()
              .orElseThrow()
              .words()
              .get());
    }
    Collections.reverse(words);
    return words;
  }

  /** Removes states that nothing leads to, until none is left or each of the rest has a way in. */
  private boolean hasCycle() {
    int[] waysIn = new int[states.size()];
    successors.forEach(
        targets -> {
          for (int target : targets) {
            waysIn[target]++;
          }
        });
    // Each other state was reached from one.
    Deque<Integer> free = new ArrayDeque<>(waysIn[0] == 0 ? List.of(0) : List.of());
    int removed = 0;
    while (!free.isEmpty()) {
      removed++;
      for (int target : successors.get(free.remove())) {
        if (--waysIn[target] == 0) {
          free.add(target);
        }
      }
    }
    return removed < states.size();
  }
}
