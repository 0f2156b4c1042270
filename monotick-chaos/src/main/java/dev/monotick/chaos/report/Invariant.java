package dev.monotick.chaos.report;

import java.util.List;

/** What is promised, what it rests on, and by which words the checks complain about it. */
public enum Invariant {
  /** Fences grow. */
  I1("every term has a newer fence than all before it", Basis.COMMITS, "fences grow"),
  /** One leader. */
  I2("at no instant do two replicas rely on leadership", Basis.RATES, "one leader at a time"),
  /** One effect. */
  I3("no tick takes effect twice", Basis.COMMITS, "no duplicate effect", "a tick is begun once"),
  /** Old fences. */
  I4(
      "after a newer fence no older one is accepted, by sink or ledger",
      Basis.COMMITS,
      "no stale fence is accepted"),
  /** No silent loss. */
  I5(
      "every nominal time has one outcome on record, and a true one",
      Basis.COMMITS,
      "every tick has one outcome",
      "what succeeded has an effect",
      "everything comes to its end"),
  /** Guards. */
  I6("nothing that needs leadership starts after its term", Basis.NOTHING, "nothing starts after"),
  /** Failover. */
  I7("another replica leads within the published bound", Basis.MEASURED),
  /** Overlap. */
  I8("runs of a task that must not overlap do not", Basis.COMMITS, "runs do not overlap"),
  /** Edits. */
  I9(
      "what people were told is done holds from then on",
      Basis.COMMITS,
      "a task that is paused",
      "a schedule that was replaced"),
  /** Recovery. */
  I10("when faults end, somebody leads again", Basis.NOTHING, "a leader is found again"),
  /** Same times. */
  I11(
      "all replicas compute the same times, whatever their clocks say",
      Basis.NOTHING,
      "everybody computes"),
  /** Order. */
  I12(
      "the times of a task only grow, and are started in their order",
      Basis.COMMITS,
      "times only grow",
      "ticks are started in their order"),
  /** Unknown commits. */
  I13(
      "a claim whose COMMIT got no answer is looked up before anything is done",
      Basis.COMMITS,
      "what has an effect was run"),
  /** Jobs are not lost. */
  J1("no acknowledged job is lost", Basis.COMMITS, "lost:"),
  /** Jobs succeed once. */
  J2("no job succeeds twice, or goes on after its end", Basis.COMMITS, "completed_twice"),
  /** Attempts. */
  J3(
      "attempts are those that were planned, never more than the maximum",
      Basis.COMMITS,
      "attempts_wrong"),
  /** Cancels. */
  J4("a job that was called off stays so", Basis.COMMITS, "cancels_undone"),
  /** Uniqueness. */
  J5("no two jobs of a unique key are active at once", Basis.COMMITS, "unique_violations"),
  /** Limits. */
  J6("limits on what runs at a time are kept", Basis.COMMITS, "limit_violations", "counts_wrong"),
  /** Begins; the simulation's J7 has no part here. */
  J8(
      "no handler begins after the end of its job, unless its process provably stood still",
      Basis.COMMITS,
      "began_after_end");

  /** What a promise rests on. */
  enum Basis {
    NOTHING("nothing"),
    COMMITS("the database keeps what it acknowledged"),
    RATES("clock rates differ by less than 10 %"),
    MEASURED("measured, see below");

    final String text;

    Basis(String text) {
      this.text = text;
    }
  }

  private final String text;
  private final Basis basis;

  /** One on each line: an enum keeps nothing that could change. */
  private final String words;

  Invariant(String text, Basis basis, String... words) {
    this.text = text;
    this.basis = basis;
    this.words = String.join("\n", words);
  }

  String text() {
    return text;
  }

  Basis basis() {
    return basis;
  }

  /** Says whether it may fail where a failover loses what was acknowledged. */
  public boolean needsCommitsKept() {
    // Fences keep growing across a failover, because a promotion begins a new timeline.
    return this == I2 || (basis == Basis.COMMITS && this != I1 && this != I4);
  }

  /** Returns how many of the complaints are about this. */
  public long count(List<String> violations) {
    return violations.stream()
        .filter(violation -> words.lines().anyMatch(violation::startsWith))
        .count();
  }
}
