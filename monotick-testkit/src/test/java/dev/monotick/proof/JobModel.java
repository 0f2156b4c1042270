package dev.monotick.proof;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One question about the model of jobs: how large it is, and which of its rules are broken.
 *
 * @param members how many memberships there may be, the first of each replica included
 * @param atMostOnce whether the jobs are {@code AT_MOST_ONCE}, else {@code AT_LEAST_ONCE}
 * @param handOff whether replicas offer to be handed jobs
 */
record JobModel(
    int replicas, int members, int jobs, boolean atMostOnce, boolean handOff, Set<Rule> broken) {

  /** Prepares to ask about the product. */
  JobModel(int replicas, int members, int jobs, boolean atMostOnce, boolean handOff) {
    this(replicas, members, jobs, atMostOnce, handOff, Set.of());
  }

  /** The rules of the model, by the switches of {@code jobs.tla} that break them. */
  enum Rule {
    REJOIN_KEEPS_IDENTITY,
    ANSWER_TO_ANY_MEMBERSHIP,
    NOTICE_STARTS_HANDLER,
    READ_ONLY_ON_NOTICE,
    NUMBER_REUSED,
    BEGIN_WITHOUT_LEASE,
    GONE_WHILE_TRUSTED,
    RESCUE_WITHOUT_GONE,
    RESCUE_ONCE,
    RESCUE_LEAVES_NO_END,
    ORPHANS_KEPT,
    COMPLETE_WITHOUT_CLAIM,
    COMPLETE_BY_NUMBER_ALONE,
    COMPLETE_TWICE,
    PURGE_UNDER_CLAIM,
    NO_START_RECORD,
    BEGIN_BEFORE_START_ANSWER,
    START_WITHOUT_CLAIM_LOCK,
    UNKNOWN_WITHOUT_START
  }

  /** What the product must keep. */
  enum Property {
    /** No two runs of a job are recorded as successes. */
    S1,
    /** No handler begins after its run has ended, unless its process was frozen just before. */
    S2,
    /** No job leaves the state in which it ended. */
    S3,
    /** No purged job comes back. */
    S4,
    /** A handler at most once begins at most once. */
    A1,
    /** A run becomes unknown only if its replica was about to begin it. */
    A2,
    /** No job is lost. */
    L
  }

  static final List<Property> ALL = List.of(Property.values());

  /** Returns this model with other rules broken. */
  JobModel breaking(Rule... rules) {
    return new JobModel(replicas, members, jobs, atMostOnce, handOff, Set.of(rules));
  }

  boolean is(Rule rule) {
    return broken.contains(rule);
  }

  /** One that fails or is claimed too late, one per lost membership, one that ends. */
  int maxRun() {
    return 2 + members - replicas;
  }

  /** Returns the model as TLC reads it. */
  String configuration(String invariants) {
    return """
    SPECIFICATION Spec
    CONSTANTS
      Replicas = %d
      Members = %d
      Jobs = %d
      Effect = "%s"
      HandOff = %s
      Buggy = {%s}
    INVARIANTS %s
    CHECK_DEADLOCK FALSE
    """
        .formatted(
            replicas,
            members,
            jobs,
            atMostOnce ? "AT_MOST_ONCE" : "AT_LEAST_ONCE",
            handOff ? "TRUE" : "FALSE",
            broken.stream().map(rule -> "\"" + rule + "\"").sorted().collect(joining(", ")),
            invariants);
  }

  /** Returns the broken rules by name, in a fixed order. */
  String brokenNames() {
    return broken.isEmpty()
        ? "none"
        : new TreeSet<>(broken).stream().map(Rule::name).collect(joining(", "));
  }

  @Override
  public String toString() {
    return count(replicas, "replica")
        + ", "
        + count(members, "membership")
        + ", "
        + count(jobs, "job")
        + (atMostOnce ? " at most once" : "")
        + (handOff ? "" : ", no hand-off");
  }

  private static String count(int number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
