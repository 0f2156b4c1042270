package dev.monotick.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TaskEditsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final CheckScope SCOPE = new CheckScope(TaskWorkload.FULL, Duration.ofSeconds(1));

  private final List<Journal.Entry> journal = new ArrayList<>();
  private final List<LedgerRow> ledger = new ArrayList<>();

  @BeforeEach
  void theClockIsTold() {
    tell("nemesis", 0, WallClock.KIND, "wall", START);
  }

  @Test
  void aTickThatRanDuringAnAcknowledgedPauseIsFound() {
    paused(10, 20);
    ran(TaskWorkload.PAUSED, 15, "SKIPPED");
    assertThat(check().violations()).isEmpty();
    assertThat(check().pauses()).isEqualTo(1);
    ran(TaskWorkload.PAUSED, 16, "SUCCEEDED");
    assertThat(check().violations()).singleElement().asString().contains("is not run");
  }

  @Test
  void aPauseThatWasNotAcknowledgedBindsNobody() {
    tell("r1", 10, "answered", "request", "pause paused", "done", false);
    tell("editor", 20, "request", "whom", "r1", "request", "resume paused");
    ran(TaskWorkload.PAUSED, 16, "SUCCEEDED");
    assertThat(check().violations()).isEmpty();
    assertThat(check().pauses()).isZero();
  }

  @Test
  void aWishToResumeThatIsStillOnItsWayMayEndAPause() {
    tell("editor", 5, "request", "whom", "r2", "request", "resume paused");
    paused(10, 20);
    ran(TaskWorkload.PAUSED, 16, "SUCCEEDED");
    assertThat(check().pauses()).isZero();
  }

  @Test
  void aTickByAScheduleThatNobodyHasAnyMoreIsFound() {
    tell("nemesis", 1, "launch", "whom", "r1.1", "place", "r1");
    tell("r1.1", 2, "started", "edition", 1);
    tell("nemesis", 100, "kill", "whom", "r1.1");
    tell("nemesis", 101, "launch", "whom", "r1.2", "place", "r1");
    tell("r1.2", 102, "started", "edition", 2);
    tell("nemesis", 200, "kill", "whom", "r1.2");
    ledger.add(row(TaskWorkload.EDITED, START.plusSeconds(141), "SUCCEEDED")); // every 700 ms
    assertThat(START.plusSeconds(141).toEpochMilli() % 700).isNotZero();
    assertThat(check().violations()).singleElement().asString().contains("is not followed");
    assertThat(check().editions()).isEqualTo(2);
  }

  private void paused(int from, int until) {
    tell("r1", from, "answered", "request", "pause paused", "done", true);
    tell("editor", until, "request", "whom", "r1", "request", "resume paused");
  }

  private void ran(String task, int second, String outcome) {
    ledger.add(row(task, START.plusSeconds(second), outcome));
  }

  private static LedgerRow row(String task, Instant at, String outcome) {
    return new LedgerRow(task, at, at, 1, "ENDED", outcome, 1, null, null, null, null);
  }

  private void tell(String source, int second, String kind, Object... fields) {
    journal.add(new Journal.Entry(source, HistoryEvent.at(second * 1_000_000_000L, kind, fields)));
  }

  private TaskEdits.Result check() {
    return TaskEdits.check(SCOPE, journal, ledger);
  }
}
