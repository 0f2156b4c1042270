package dev.monotick.postgres.difference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Plays steps on both stores, and compares what they answer. */
final class Lockstep {

  private final Stores stores;
  private final List<Side> sides;
  private final List<Step> played = new ArrayList<>();

  Lockstep(Stores stores) {
    this.stores = stores;
    this.sides = stores.fresh();
  }

  /** Plays all of these on new, empty stores; returns the first difference. */
  static Optional<String> replay(Stores stores, List<Step> steps) {
    Lockstep run = new Lockstep(stores);
    for (Step step : steps) {
      Optional<String> difference = run.play(step);
      if (difference.isPresent()) {
        return difference;
      }
    }
    return run.end();
  }

  Side memory() {
    return sides.get(0);
  }

  List<Step> played() {
    return List.copyOf(played);
  }

  /** Plays a step and returns how the stores differ after it. */
  Optional<String> play(Step step) {
    played.add(step);
    if (!Switches.SAME_INSTANT) {
      stores.advance(Duration.ofNanos(1_000));
    }
    if (step instanceof Step.Advance advance) {
      stores.advance(advance.by());
    }
    Optional<String> difference =
        compare("reply", sides.stream().map(side -> Step.attempt(step, side)).toList());
    if (difference.isPresent()) {
      return difference;
    }
    sides.forEach(Side::lookAround);
    difference =
        compare(
            "overview",
            sides.stream().map(side -> String.join("\n    ", Answers.overview(side))).toList());
    for (String label : new TreeSet<>(step.concerns())) {
      difference = difference.or(() -> compareJob(label));
    }
    return difference;
  }

  /** Compares all jobs in full. */
  Optional<String> end() {
    return memory().ids().keySet().stream()
        .map(this::compareJob)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Optional<String> compareJob(String label) {
    return compare("job " + label, sides.stream().map(side -> Answers.of(side, label)).toList());
  }

  private static Optional<String> compare(String what, List<String> answers) {
    return answers.get(0).equals(answers.get(1))
        ? Optional.empty()
        : Optional.of(
            what
                + "\n  memory:\n    "
                + without(answers.get(0), answers.get(1))
                + "\n  postgres:\n    "
                + without(answers.get(1), answers.get(0)));
  }

  /** Returns the lines that only one of the stores has, or all if only their order differs. */
  private static String without(String answer, String other) {
    Set<String> same = other.lines().collect(Collectors.toSet());
    String own =
        answer.lines().filter(line -> !same.contains(line)).collect(Collectors.joining("\n"));
    return own.isEmpty() && answer.lines().count() == other.lines().count() ? answer : own;
  }
}
