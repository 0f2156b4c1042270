package dev.monotick.chaos.check;

import dev.monotick.chaos.sink.EffectVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a check of a run found, and how much there was to find it in. */
public final class Findings {

  private final List<String> violations = new ArrayList<>();
  private final Map<String, Long> outcomes = new TreeMap<>();
  private final Map<EffectVerdict, Long> verdicts = new TreeMap<>();
  private long duplicates;
  private int terms;
  private int excused;
  private long guards;

  void violation(String rule, String what) {
    violations.add(rule + ": " + what);
  }

  void duplicate(String what) {
    duplicates++;
    violation("no duplicate effect", what);
  }

  void outcome(String outcome, long count) {
    outcomes.merge(outcome, count, Long::sum);
  }

  void verdict(EffectVerdict verdict) {
    verdicts.merge(verdict, 1L, Long::sum);
  }

  void terms(int number) {
    terms = number;
  }

  void excused() {
    excused++;
  }

  void guards(long number) {
    guards = number;
  }

  /** Returns how often two relied on leadership at once for a reason that is known to allow it. */
  public int excusedOverlaps() {
    return excused;
  }

  /** Returns how often a body was told that it may. */
  public long guards() {
    return guards;
  }

  /** Returns how many violations there are of a rule. */
  public long violations(String rule) {
    return violations.stream().filter(violation -> violation.startsWith(rule)).count();
  }

  /** Returns what was promised and not kept. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Returns how many effects took place more than once. */
  public long duplicates() {
    return duplicates;
  }

  /** Returns how many effects were judged so. */
  public long verdicts(EffectVerdict verdict) {
    return verdicts.getOrDefault(verdict, 0L);
  }

  /** Returns how many ticks of the ledger ended so. */
  public long outcomes(String outcome) {
    return outcomes.getOrDefault(outcome, 0L);
  }

  /** Returns how many ticks of the ledger have an outcome, or should. */
  public long ticks() {
    return outcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns how many ticks of the ledger ended in which way. */
  public Map<String, Long> outcomes() {
    return new TreeMap<>(outcomes);
  }

  /** Returns how many terms there were. */
  public int terms() {
    return terms;
  }

  @Override
  public String toString() {
    return "terms="
        + terms
        + " effects="
        + verdicts
        + " duplicates="
        + duplicates
        + " outcomes="
        + outcomes
        + " violations="
        + violations.size();
  }
}
