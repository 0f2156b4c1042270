package dev.monotick.chaos.check;

import static java.util.stream.Collectors.groupingBy;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.sink.EffectVerdict;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.leader.Fence;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the sink, the replicas and the ledger wrote down against what is promised. It knows
 * none of the product's classes but the fence, and reads the ledger's table itself.
 */
public final class Checker {

  /** What every violation begins with that tells of two leaders at the same time. */
  public static final String ONE_LEADER = "one leader at a time";

  private static final Set<String> NOT_RUN = Set.of("MISSED", "SKIPPED");

  private final CheckScope scope;
  private final List<Journal.Entry> journal;
  private final List<HistoryEvent> effects;
  private final List<LedgerRow> ledger;
  private final Findings findings = new Findings();

  private Checker(
      CheckScope scope,
      List<Journal.Entry> journal,
      List<HistoryEvent> effects,
      List<LedgerRow> ledger) {
    this.scope = scope;
    this.journal = journal;
    this.effects = effects;
    this.ledger = ledger;
  }

  /**
   * Checks a run.
   *
   * @param scope what it was about
   * @param journal what the processes told
   * @param effects what the sink has on disk, and rows that were written together with ticks
   * @param ledger the rows of the ledger, empty if there is none
   * @param settled ticks up to this time must have their outcome, null if there is no ledger
   */
  public static Findings check(
      CheckScope scope,
      List<Journal.Entry> journal,
      List<HistoryEvent> effects,
      List<LedgerRow> ledger,
      @Nullable Instant settled) {
    Checker checker = new Checker(scope, journal, effects, ledger);
    checker.effects();
    checker.starts();
    checker.fences();
    checker.terms();
    LocalTicks.check(scope, journal, checker.findings);
    TermChecks.check(journal, checker.findings);
    if (settled != null) {
      checker.accounts(settled);
      checker.outcomes(settled);
      LedgerOrder.check(scope, ledger, checker.findings);
    }
    return checker.findings;
  }

  /** No effect takes place twice: counted by a process that knows nothing of leases. */
  private void effects() {
    Map<String, Integer> accepted = new LinkedHashMap<>();
    for (HistoryEvent event : effects) {
      EffectVerdict verdict = EffectVerdict.valueOf(event.get("verdict"));
      findings.verdict(verdict);
      if (verdict == EffectVerdict.ACCEPTED) {
        accepted.merge(identity(SinkEffect.of(event)), 1, Integer::sum);
      }
    }
    accepted.forEach(
        (identity, times) -> {
          if (times > 1) {
            findings.duplicate(identity + " took place " + times + " times");
          }
        });
  }

  private static String identity(SinkEffect effect) {
    String tick = effect.task() + "/" + effect.nominal();
    return switch (effect.task()) {
      case TaskWorkload.EVERY -> tick + "@" + effect.replica();
      case TaskWorkload.SHARED, TaskWorkload.REQUESTED -> effect.task() + "/" + effect.key();
      default -> tick;
    };
  }

  /** No tick is begun twice, unless it asks for that. */
  private void starts() {
    journal.stream()
        .filter(
            entry -> entry.is("began") && scope.atMostOnce().contains(entry.event().get("task")))
        .collect(groupingBy(entry -> tick(entry.event())))
        .forEach(
            (tick, begun) -> {
              if (begun.size() > 1) {
                findings.violation("a tick is begun once", tick + " was begun by " + begun);
              }
            });
  }

  /** Once a newer fence was accepted, by the sink or by the ledger, no older one is. */
  private void fences() {
    Map<String, Fence> newest = new HashMap<>();
    for (HistoryEvent event : effects) {
      SinkEffect effect = SinkEffect.of(event);
      if (effect.kind() == SinkEffect.Kind.FENCED && event.has("verdict", "ACCEPTED")) {
        grows(newest, "sink " + effect.group(), effect.fence(), event.line());
      }
    }
    for (LedgerRow row : ledger) {
      // Ticks are claimed in order; one that was given back may be taken again later.
      if (row.fence() != null && row.attempt() == 1) {
        grows(newest, "ledger " + row.task(), row.fence(), row.toString());
      }
    }
  }

  private void grows(Map<String, Fence> newest, String where, @Nullable Fence next, String what) {
    Fence known = newest.get(where);
    if (next == null || (known != null && known.isNewerThan(next))) {
      findings.violation("no stale fence is accepted", where + " had " + known + " before " + what);
    } else {
      newest.put(where, next);
    }
  }

  /** At no instant do two replicas rely on leadership, and every term has a newer fence. */
  private void terms() {
    List<LeadershipInterval> terms = LeadershipInterval.of(journal);
    findings.terms(terms.size());
    AllowedOverlaps excuses = AllowedOverlaps.of(journal);
    for (int i = 0; i < terms.size(); i++) {
      for (int j = i + 1; j < terms.size(); j++) {
        if (terms.get(i).overlaps(terms.get(j))) {
          if (excuses.excuse(terms.get(i), terms.get(j))) {
            findings.excused();
          } else {
            findings.violation(ONE_LEADER, terms.get(i) + " and " + terms.get(j));
          }
        }
      }
    }
    terms.sort(Comparator.comparing(LeadershipInterval::fence));
    for (int i = 1; i < terms.size(); i++) {
      if (!terms.get(i).fence().isNewerThan(terms.get(i - 1).fence())
          || terms.get(i).from() < terms.get(i - 1).from()) {
        findings.violation("fences grow", terms.get(i - 1) + ", then " + terms.get(i));
      }
    }
  }

  /** Every nominal time is accounted for by one row, alone or in a range, and has its outcome. */
  private void accounts(Instant settled) {
    for (String task : scope.inLedger()) {
      Instant expected = null;
      Instant last = Instant.MIN;
      for (LedgerRow row : rows(task).toList()) {
        if (expected != null && !row.first().equals(expected)) {
          findings.violation(
              "every tick has one outcome",
              task + ": after " + last + " comes " + row.first() + " instead of " + expected);
        }
        if (ticks(row.first(), row.last()) != row.count()) {
          findings.violation("every tick has one outcome", "the range is miscounted: " + row);
        }
        if (!row.isEnded() && !row.last().isAfter(settled)) {
          findings.violation("every tick has one outcome", "none after the run: " + row);
        }
        findings.outcome(String.valueOf(row.outcome()), row.count());
        last = row.last();
        expected = last.plus(scope.period());
      }
      if (last.isBefore(settled.minus(scope.period()))) {
        findings.violation(
            "every tick has one outcome", task + ": nothing from " + last + " to " + settled);
      }
    }
  }

  private long ticks(Instant first, Instant last) {
    return (last.toEpochMilli() - first.toEpochMilli()) / scope.period().toMillis() + 1;
  }

  /**
   * The ledger says the truth: what has an effect was run, what succeeded has one, and what shares
   * a commit with its tick has one only if that succeeded.
   */
  private void outcomes(Instant settled) {
    Map<String, LedgerRow> rows = new HashMap<>();
    ledger.forEach(row -> rows.put(row.task() + "/" + row.first(), row));
    Map<String, HistoryEvent> accepted = new HashMap<>();
    for (HistoryEvent event : effects) {
      if (event.has("verdict", "ACCEPTED")
          && scope.inLedger().contains(event.get("task"))
          && !Instant.parse(event.get("nominal")).isAfter(settled)) {
        accepted.put(tick(event), event);
      }
    }
    accepted.forEach(
        (tick, event) -> {
          LedgerRow row = rows.get(tick);
          String outcome = row == null ? "MISSED" : String.valueOf(row.outcome());
          boolean exact = scope.exact().contains(event.get("task"));
          if (exact ? !outcome.equals("SUCCEEDED") : NOT_RUN.contains(outcome)) {
            findings.violation(
                "what has an effect was run", event.line() + ", but the ledger has " + row);
          }
        });
    rows.forEach(
        (tick, row) -> {
          if (!row.first().isAfter(settled)
              && scope.inLedger().contains(row.task())
              && "SUCCEEDED".equals(row.outcome())
              && !accepted.containsKey(tick)) {
            findings.violation("what succeeded has an effect", row + " has none");
          }
        });
  }

  private Stream<LedgerRow> rows(String task) {
    return ledger.stream().filter(row -> row.task().equals(task));
  }

  private static String tick(HistoryEvent event) {
    return event.get("task") + "/" + event.get("nominal");
  }
}
