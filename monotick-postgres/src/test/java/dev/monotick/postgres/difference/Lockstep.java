package dev.monotick.postgres.difference;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Plays steps on both stores, and compares what they answer. */
final class Lockstep {

  /** How long the database keeps jobs of queues that have no retention of their own then. */
  private static final Duration LONGER = Duration.ofDays(1_000);

  private final Stores stores;
  private final List<Side> sides;
  private final List<Step> played = new ArrayList<>();
  private final Set<String> shortLived = new TreeSet<>(); // queues and tenants; none is any tenant

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

  private Side postgres() {
    return sides.get(1);
  }

  /** Counts what happened in the database. */
  Tally tally() {
    return postgres().tally();
  }

  List<Step> played() {
    return List.copyOf(played);
  }

  /** Plays a step and returns how the stores differ after it. */
  Optional<String> play(Step step) {
    played.add(step);
    tally().add(Tally.Event.STEP, 1);
    if (step instanceof Step.Advance advance) {
      stores.advance(advance.by());
    }
    Optional<String> difference =
        compare("reply", sides.stream().map(side -> Step.attempt(step, side)).toList());
    if (difference.isPresent()) {
      return difference;
    }
    if (step instanceof Step.HandOff handOff) {
      if (handOff.wasHanded(postgres())) {
        handOff.comeLater(memory());
        tally().add(Tally.Event.HAND_OFF, 1);
      } else { // notices had been sent just before; a job that is added later must not get the turn
        sides.forEach(handOff::close);
      }
    } else if (step instanceof Step.Retention retention) {
      difference = dropOld(retention);
    }
    sides.forEach(Side::lookAround);
    difference =
        difference.or(
            () ->
                compare(
                    "overview",
                    sides.stream()
                        .map(side -> String.join("\n    ", Answers.overview(side)))
                        .toList()));
    for (String label : new TreeSet<>(step.concerns())) {
      difference = difference.or(() -> compareJob(label));
    }
    return difference;
  }

  /**
   * Lets the database drop what ended long ago. The store in memory keeps a number of jobs, and not
   * for a time; so what the database has dropped, which must be over, is passed over there.
   */
  private Optional<String> dropOld(Step.Retention retention) {
    stores.advance(Step.Retention.KEPT.multipliedBy(3));
    sides.forEach(Side::lookAround);
    Lane lane = retention.lane() < 0 ? null : Side.LANES.get(retention.lane());
    if (lane == null) {
      stores.maintain(Step.Retention.KEPT);
    } else {
      postgres().jobs().retain(lane.queue(), lane.tenant(), Step.Retention.KEPT);
      shortLived.add(lane.queue() + " " + lane.tenant());
      stores.maintain(LONGER);
    }
    for (String label : List.copyOf(memory().ids().keySet())) {
      JobId id = postgres().id(label);
      if (id == null || memory().hasDropped(label) || postgres().jobs().find(id).isPresent()) {
        continue;
      }
      JobId same = requireNonNull(memory().id(label));
      Optional<Job> job = memory().jobs().find(same);
      if (job.isEmpty()) {
        continue; // purged, in both
      }
      if (!job.get().state().isTerminal() || job.get().state() == JobState.DEAD) {
        return Optional.of("postgres has dropped " + label + ", which is " + job.get().state());
      }
      Lane of = job.get().lane();
      boolean isShortLived =
          shortLived.contains(of.queue() + " ")
              || shortLived.contains(of.queue() + " " + of.tenant());
      if (lane != null && !isShortLived) {
        return Optional.of("postgres has dropped " + label + ", which is to be kept");
      }
      tally().add(lane == null ? Tally.Event.RETENTION_DROP : Tally.Event.QUEUE_RETENTION_DROP, 1);
      memory().drop(label);
      sides.forEach(side -> side.forget(label));
    }
    return Optional.empty();
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
