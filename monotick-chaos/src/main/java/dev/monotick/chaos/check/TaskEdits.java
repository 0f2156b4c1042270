package dev.monotick.chaos.check;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What people asked for and were told was done holds from then on: no tick of a task that is paused
 * is run, and none by a schedule that no replica has any more.
 */
public final class TaskEdits {

  /** Times in the ledger are the database's, as each replica knows them. */
  private static final Duration SLACK = Duration.ofMillis(500);

  private final List<Journal.Entry> journal;
  private final WallClock clock;
  private final List<String> violations = new ArrayList<>();
  private int pauses;
  private int editions;

  private TaskEdits(List<Journal.Entry> journal) {
    this.journal = journal;
    this.clock = WallClock.of(journal);
  }

  /**
   * What was found.
   *
   * @param pauses how many pauses were held against the ledger
   * @param editions how many editions of the program
   * @param violations what was promised and not kept
   */
  public record Result(int pauses, int editions, List<String> violations) {}

  /** Checks a run. */
  public static Result check(
      CheckScope scope, List<Journal.Entry> journal, List<LedgerRow> ledger) {
    TaskEdits edits = new TaskEdits(journal);
    edits.pauses(ledger);
    edits.editions(scope, ledger);
    return new Result(edits.pauses, edits.editions, List.copyOf(edits.violations));
  }

  /** From the answer to a pause to the next wish to resume, if no older wish was on its way. */
  private void pauses(List<LedgerRow> ledger) {
    String pause = "pause " + TaskWorkload.PAUSED;
    String resume = "resume " + TaskWorkload.PAUSED;
    Map<String, Integer> onTheirWay = new HashMap<>();
    long since = 0;
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "request" -> {
          if (event.has("request", resume)) {
            onTheirWay.merge(event.get("whom"), 1, Integer::sum);
            since = endPause(since, event.nanos(), ledger);
          }
        }
        case "answered" -> {
          if (event.has("request", resume)) {
            onTheirWay.computeIfPresent(entry.source(), (who, n) -> n == 1 ? null : n - 1);
          } else if (event.has("request", pause)
              && event.has("done", "true")
              && onTheirWay.isEmpty()
              && since == 0) {
            since = event.nanos();
          }
        }
        case "kill" -> onTheirWay.remove(event.get("whom"));
        default -> {}
      }
    }
  }

  private long endPause(long since, long until, List<LedgerRow> ledger) {
    if (since != 0) {
      pauses++;
      Instant from = clock.at(since).plus(SLACK);
      Instant to = clock.at(until).minus(SLACK);
      for (LedgerRow row : ledger) {
        if (row.task().equals(TaskWorkload.PAUSED)
            && row.first().isAfter(from)
            && row.first().isBefore(to)
            && !"SKIPPED".equals(row.outcome())) {
          violations.add("a task that is paused is not run: paused from " + from + ", but " + row);
        }
      }
    }
    return 0;
  }

  /** While all replicas that live are of one edition, ticks are those of its schedule. */
  private void editions(CheckScope scope, List<LedgerRow> ledger) {
    Map<String, Integer> edition = new HashMap<>();
    for (Journal.Entry entry : journal) {
      if (entry.is("started")) {
        edition.put(entry.source(), Integer.parseInt(entry.event().find("edition").orElse("1")));
      }
    }
    editions = new HashSet<>(edition.values()).size();
    Set<String> living = new HashSet<>();
    long since = 0;
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      Set<Integer> before = parities(living, edition);
      switch (event.kind()) {
        case "launch" -> living.add(event.get("whom"));
        case "kill", "stop", "ended by itself" -> living.remove(event.get("whom"));
        default -> {
          continue;
        }
      }
      Set<Integer> after = parities(living, edition);
      if (!before.equals(after)) {
        if (before.size() == 1 && since != 0) {
          only(before.iterator().next(), since, event.nanos(), scope, ledger);
        }
        since = event.nanos();
      }
    }
  }

  private static Set<Integer> parities(Set<String> living, Map<String, Integer> edition) {
    Set<Integer> parities = new HashSet<>();
    living.forEach(
        source -> {
          Integer known = edition.get(source); // null if it never started
          if (known != null) {
            parities.add(known % 2);
          }
        });
    return parities;
  }

  private void only(int parity, long since, long until, CheckScope scope, List<LedgerRow> ledger) {
    Duration period = TaskWorkload.editedPeriod(scope.period(), parity == 1 ? 1 : 2);
    // One that stops gracefully is taken for gone when it is asked; it may take as long as its
    // grace.
    Instant from = clock.at(since).plus(Duration.ofSeconds(20)).plus(SLACK);
    Instant to = clock.at(until).minus(SLACK);
    for (LedgerRow row : ledger) {
      if (row.task().equals(TaskWorkload.EDITED)
          && row.first().isAfter(from)
          && row.first().isBefore(to)
          && row.first().toEpochMilli() % period.toMillis() != 0) {
        violations.add(
            "a schedule that was replaced is not followed: every "
                + period
                + " from "
                + from
                + ", but "
                + row);
      }
    }
  }
}
