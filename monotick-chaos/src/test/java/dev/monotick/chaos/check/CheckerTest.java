package dev.monotick.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.sink.SinkEffect.Kind;
import dev.monotick.leader.Fence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A checker that finds nothing proves nothing: each promise is broken here once. */
class CheckerTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<Journal.Entry> journal = new ArrayList<>();
  private final List<HistoryEvent> effects = new ArrayList<>();
  private final List<LedgerRow> ledger = new ArrayList<>();

  /** Ten ticks of four tasks that went well, in two terms. */
  @BeforeEach
  void aGoodRun() {
    for (int i = 0; i < 10; i++) {
      Fence fence = new Fence(1, i < 5 ? 1 : 2);
      effect("leader", i, fence, "ACCEPTED");
      effect("one", i, null, "ACCEPTED");
      effect("again", i, null, "ACCEPTED");
      effect("exact", i, null, "ACCEPTED");
      row("leader", i, i, "SUCCEEDED", fence);
      row("one", i, i, "SUCCEEDED", null);
      row("again", i, i, "SUCCEEDED", null);
      row("exact", i, i, "SUCCEEDED", fence);
      tell("r1", "began", "task", "one", "nominal", at(i));
      tell("r1", "ended", "task", "every", "nominal", at(i));
    }
    trust("a", "1.1", 100, 200);
    trust("b", "1.2", 300, 400);
  }

  @Test
  void aGoodRunHasNoViolations() {
    assertThat(check().violations()).isEmpty();
    assertThat(check().outcomes("SUCCEEDED")).isEqualTo(40);
    assertThat(check().terms()).isEqualTo(2);
  }

  @Test
  void anEffectThatTookPlaceTwiceIsFound() {
    effect("one", 4, null, "ACCEPTED");
    assertThat(check().duplicates()).isEqualTo(1);
    assertViolation("no duplicate effect");
  }

  @Test
  void aTickThatWasBegunTwiceIsFound() {
    tell("r2", "began", "task", "one", "nominal", at(3));
    assertViolation("a tick is begun once");
  }

  @Test
  void aStaleFenceThatTheSinkAcceptedIsFound() {
    row("leader", 10, 10, "SUCCEEDED", new Fence(1, 2));
    effect("leader", 10, new Fence(1, 1), "ACCEPTED");
    assertViolation("no stale fence is accepted: sink");
  }

  @Test
  void aStaleFenceThatTheLedgerAcceptedIsFound() {
    row("leader", 10, 10, "UNKNOWN", new Fence(1, 1));
    assertViolation("no stale fence is accepted: ledger");
  }

  @Test
  void termsThatOverlapAreFound() {
    trust("c", "1.3", 399, 500);
    assertViolation("one leader at a time");
  }

  @Test
  void aTermThatRanOutCountsToItsEndAndOneThatWasGivenUpDoesNot() {
    trust("c", "1.3", 500, 600);
    trust("d", "1.4", 550, 700);
    tell("c", "lost", "fence", "1.3", "cause", "RELEASED", "valid", 540);
    assertThat(check().violations()).isEmpty();
    journal.remove(journal.size() - 1);
    tell("c", "lost", "fence", "1.3", "cause", "EXPIRED", "valid", 540);
    assertViolation("one leader at a time");
  }

  @Test
  void theDeadDoNotLead() {
    trust("c", "1.3", 500, 600);
    trust("d", "1.4", 550, 700);
    journal.add(new Journal.Entry("nemesis", HistoryEvent.at(545, "kill", "whom", "c")));
    assertThat(check().violations()).isEmpty();
  }

  @Test
  void aFenceThatDoesNotGrowIsFound() {
    trust("c", "1.2", 500, 600);
    assertViolation("fences grow");
  }

  @Test
  void aTickWithoutARowIsFound() {
    ledger.removeIf(row -> row.task().equals("one") && row.first().equals(time(4)));
    effects.removeIf(event -> event.has("task", "one") && event.has("nominal", at(4)));
    assertViolation("every tick has one outcome: one");
  }

  @Test
  void aTickWithoutAnOutcomeIsFound() {
    ledger.replaceAll(
        row ->
            row.task().equals("one") && row.first().equals(time(4))
                ? new LedgerRow(
                    "one",
                    row.first(),
                    row.last(),
                    1,
                    "RUNNING",
                    null,
                    1,
                    row.fence(),
                    null,
                    null,
                    null)
                : row);
    assertViolation("every tick has one outcome: none after the run");
  }

  @Test
  void aTaskThatFellSilentIsFound() {
    ledger.removeIf(row -> row.task().equals("one") && row.first().isAfter(time(5)));
    effects.removeIf(
        event -> event.has("task", "one") && Instant.parse(event.get("nominal")).isAfter(time(5)));
    assertViolation("every tick has one outcome: one: nothing from");
  }

  @Test
  void ticksMissedAsARangeAreAccountedForIfTheyAreCountedRight() {
    ledger.removeIf(row -> row.task().equals("one") && row.first().isAfter(time(5)));
    effects.removeIf(
        event -> event.has("task", "one") && Instant.parse(event.get("nominal")).isAfter(time(5)));
    row("one", 6, 9, "MISSED", null);
    assertThat(check().violations()).isEmpty();
    ledger.removeIf(row -> row.count() > 1);
    ledger.add(
        new LedgerRow("one", time(6), time(9), 3, "ENDED", "MISSED", 0, null, null, null, null));
    assertViolation("miscounted");
  }

  @Test
  void anOutcomeThatIsNotTrueIsFound() {
    effects.removeIf(event -> event.has("task", "one") && event.has("nominal", at(9)));
    assertViolation("what succeeded has an effect");
    aGoodRunAgain();
    ledger.removeIf(row -> row.task().equals("one") && row.first().equals(time(9)));
    row("one", 9, 9, "MISSED", null);
    assertViolation("what has an effect was run");
  }

  @Test
  void aTickThatAReplicaLeftOutForItselfIsFound() {
    tell("r1", "ended", "task", "every", "nominal", at(11));
    assertViolation("every tick has one outcome: r1 every");
    tell("r1", "notRun", "task", "every", "first", at(10), "last", at(10));
    assertThat(check().violations()).isEmpty();
  }

  @Test
  void aRowOfATickThatDidNotSucceedIsFound() {
    ledger.removeIf(row -> row.task().equals("exact") && row.first().equals(time(9)));
    row("exact", 9, 9, "UNKNOWN", new Fence(1, 2));
    assertViolation("what has an effect was run");
  }

  @Test
  void aBodyThatMayActAfterItsTermIsFound() {
    journal.add(new Journal.Entry("a", guard(150)));
    assertThat(check().violations()).isEmpty();
    assertThat(check().guards()).isEqualTo(1);
    journal.add(new Journal.Entry("a", guard(201)));
    assertViolation("nothing starts after its term");
  }

  @Test
  void aBodyThatMayActWithoutATermIsFound() {
    journal.add(new Journal.Entry("z", guard(150)));
    assertViolation("nothing starts after its term");
  }

  @Test
  void termsMayOverlapWhereAClockIsBeyondItsBoundAndNowhereElse() {
    trust("c", "1.3", 399, 500);
    tell("c", "started", "rate", 1.04, "edition", 1);
    assertViolation("one leader at a time");
    tell("c", "started", "rate", 1.25, "edition", 1);
    assertThat(check().violations()).isEmpty();
    assertThat(check().excusedOverlaps()).isEqualTo(1);
  }

  @Test
  void termsMayOverlapAfterAllSessionsOfTheOlderWereEndedAndNotBefore() {
    trust("c", "1.3", 399, 500);
    journal.add(new Journal.Entry("nemesis", HistoryEvent.at(450, "terminate", "whom", "b")));
    assertViolation("one leader at a time");
    journal.add(new Journal.Entry("nemesis", HistoryEvent.at(390, "terminate", "whom", "b")));
    assertThat(check().violations()).isEmpty();
  }

  @Test
  void runsThatOverlapAreFound() {
    ran("one", 8, time(8), time(20));
    ran("one", 9, time(9), time(10));
    assertViolation("runs do not overlap");
  }

  @Test
  void ticksThatRanAgainAfterNewerOnesAreFound() {
    ran("one", 8, 2, time(20), time(20));
    ran("one", 9, time(10), time(10));
    assertViolation("ticks are started in their order");
  }

  @Test
  void ticksThatAreStartedOutOfTheirOrderAreFound() {
    ran("one", 8, time(20), time(20));
    ran("one", 9, time(10), time(10));
    assertViolation("ticks are started in their order");
  }

  @Test
  void aTimeThatIsNotOnTheScheduleIsFound() {
    ledger.removeIf(row -> row.task().equals("one"));
    ledger.add(
        new LedgerRow(
            "one",
            time(0).plusMillis(7),
            time(0).plusMillis(7),
            1,
            "ENDED",
            "MISSED",
            0,
            null,
            null,
            null,
            null));
    assertViolation("everybody computes the same times");
  }

  @Test
  void aTimeOfAnEditedTaskThatComesTwiceIsFound() {
    row("edited", 1, 3, "MISSED", null);
    row("edited", 3, 3, "SUCCEEDED", null);
    assertViolation("times only grow");
  }

  private static HistoryEvent guard(long at) {
    return HistoryEvent.at(at, "guard", "task", "leader", "nominal", at(1), "fence", "1.1");
  }

  private void ran(String task, int tick, Instant started, Instant ended) {
    ran(task, tick, 1, started, ended);
  }

  private void ran(String task, int tick, int attempt, Instant started, Instant ended) {
    ledger.replaceAll(
        row ->
            row.task().equals(task) && row.first().equals(time(tick))
                ? new LedgerRow(
                    task,
                    row.first(),
                    row.last(),
                    1,
                    "ENDED",
                    "SUCCEEDED",
                    attempt,
                    null,
                    null,
                    started,
                    ended)
                : row);
  }

  private void aGoodRunAgain() {
    journal.clear();
    effects.clear();
    ledger.clear();
    aGoodRun();
  }

  private void assertViolation(String text) {
    assertThat(check().violations()).anyMatch(violation -> violation.contains(text));
  }

  private Findings check() {
    return Checker.check(CheckScope.ofTasks(), journal, effects, ledger, time(9));
  }

  private void tell(String source, String kind, Object... fields) {
    journal.add(new Journal.Entry(source, HistoryEvent.at(1, kind, fields)));
  }

  private void trust(String source, String fence, long from, long until) {
    journal.add(
        new Journal.Entry(source, HistoryEvent.at(from, "trust", "fence", fence, "until", until)));
  }

  private void effect(String task, int tick, @Nullable Fence fence, String verdict) {
    effects.add(
        HistoryEvent.at(
            1,
            "effect",
            "verdict",
            verdict,
            "group",
            "g",
            "task",
            task,
            "nominal",
            at(tick),
            "attempt",
            1,
            "replica",
            "r1",
            "kind",
            fence == null ? Kind.PLAIN : Kind.FENCED,
            "fence",
            fence == null ? "" : fence,
            "key",
            task + "/" + at(tick)));
  }

  private void row(String task, int first, int last, String outcome, @Nullable Fence fence) {
    ledger.add(
        new LedgerRow(
            task,
            time(first),
            time(last),
            last - first + 1,
            "ENDED",
            outcome,
            1,
            fence,
            null,
            null,
            null));
  }

  private static Instant time(int tick) {
    return START.plusMillis(200L * tick);
  }

  private static String at(int tick) {
    return time(tick).toString();
  }
}
