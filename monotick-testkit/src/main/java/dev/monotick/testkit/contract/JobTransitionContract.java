package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.End;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.Completion.Snoozed;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.JobTransition;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every job store makes all steps of {@link JobTransition}, and no others: for each step there is a
 * job that is brought to where it begins and is looked at before and after, and what is asked of a
 * job in a state in which it cannot be done is refused and changes nothing.
 */
@Timeout(120)
public abstract class JobTransitionContract extends JobStoreContract {

  /** A step of the table, from one state to one other. */
  private record Step(JobTransition transition, JobState from, JobState to) {}

  /**
   * A job that is alone in its kind.
   *
   * @param run its last claim, null if it had none
   */
  private record Subject(JobId id, DraftBuilder draft, MemberId replica, @Nullable ClaimedJob run) {

    ClaimedJob claimed() {
      return requireNonNull(run, "it has no run");
    }
  }

  /** What may be asked of a job, and where. Says whether it was done. */
  private record Demand(String name, Set<JobState> from, Predicate<Subject> make) {}

  /**
   * What the table cannot tell: that some of its states go together with some of the others only.
   */
  private static final Set<Step> NEVER =
      Set.of(
          // another time does not make a failure of what has not failed, or the other way round
          new Step(JobTransition.RESCHEDULE, JobState.SCHEDULED, JobState.RETRYING),
          new Step(JobTransition.RESCHEDULE, JobState.RETRYING, JobState.SCHEDULED),
          // what was rejected needs approval, and needs it again
          new Step(JobTransition.REQUEUE, JobState.REJECTED, JobState.READY));

  private int kinds;

  /** For backends. */
  protected JobTransitionContract() {}

  @Test
  void everyStepOfTheTableIsMade() {
    Set<Step> visited = new LinkedHashSet<>();
    for (Step step : table()) {
      if (step.transition() != JobTransition.EXPIRE && !NEVER.contains(step)) {
        Subject subject = in(step.from(), draftFor(step));
        assertThat(state(subject.id())).as("before %s", step).isEqualTo(step.from());
        make(step, subject);
        visit(subject.id(), step, visited);
      }
    }
    expireAll(visited);
    Set<Step> missing = table();
    missing.removeAll(visited);
    assertThat(missing).as("steps that no test made").isEqualTo(NEVER);
  }

  @Test
  void whatCannotBeDoneInAStateIsRefusedAndChangesNothing() {
    List<Demand> demands =
        List.of(
            new Demand("claim", JobTransition.CLAIM.from(), this::claims),
            new Demand("hand back", Set.of(JobState.RUNNING), s -> reports(s, new HandedBack())),
            new Demand("report", Set.of(JobState.RUNNING), this::reportsOtherwise),
            new Demand("cancel", JobTransition.CANCEL.from(), s -> cancels(s.id())),
            new Demand(
                "approve",
                JobTransition.APPROVE.from(),
                s -> jobs().approve(s.id(), "ann", "fine")),
            new Demand(
                "reject", JobTransition.REJECT.from(), s -> jobs().reject(s.id(), "ann", "no")),
            new Demand(
                "reschedule",
                JobTransition.RESCHEDULE.from(),
                s -> jobs().reschedule(s.id(), longAgo())),
            new Demand(
                "requeue",
                JobTransition.REQUEUE.from(),
                s -> !jobs().requeue(List.of(s.id()), "ann").isEmpty()),
            new Demand("purge", Set.of(JobState.DEAD), s -> !purge(s.id()).isEmpty()),
            new Demand("rescue", Set.of(), s -> jobs().rescue() > 0));
    for (JobState state : JobState.values()) {
      Subject subject = in(state, newDraft());
      Job before = job(subject.id());
      for (Demand demand : demands) {
        if (!demand.from().contains(state)) {
          assertThat(demand.make().test(subject)).as("%s in %s", demand.name(), state).isFalse();
          assertThat(job(subject.id()))
              .as("after %s in %s", demand.name(), state)
              .usingRecursiveComparison()
              .isEqualTo(before);
        }
      }
      if (state == JobState.RUNNING) {
        succeed(subject.replica(), subject.claimed());
      }
    }
  }

  private static Set<Step> table() {
    Set<Step> steps = new LinkedHashSet<>();
    for (JobTransition transition : JobTransition.values()) {
      for (JobState from : JobState.values()) {
        for (JobState to : JobState.values()) {
          if (transition.leads(from, to)) {
            steps.add(new Step(transition, from, to));
          }
        }
      }
    }
    return steps;
  }

  private void visit(JobId id, Step step, Set<Step> visited) {
    assertThat(state(id)).as("after %s", step).isEqualTo(step.to());
    visited.add(step);
  }

  private DraftBuilder newDraft() {
    return aJob().kind("kind-" + ++kinds);
  }

  private DraftBuilder draftFor(Step step) {
    DraftBuilder wish = newDraft();
    switch (step.transition()) {
      case APPROVE -> {
        if (step.to() == JobState.SCHEDULED) {
          wish.after(HOUR);
        }
      }
      case REQUEUE -> {
        if (step.to() == JobState.AWAITING_APPROVAL) {
          wish.approval(HOUR);
        }
      }
      case LOSE -> wish.atMostOnce();
      default -> {} // any will do
    }
    return wish;
  }

  private void make(Step step, Subject subject) {
    JobId id = subject.id();
    switch (step.transition()) {
      case BECOME_DUE -> {
        jobs().reschedule(id, longAgo());
        makeDue();
      }
      case APPROVE -> assertThat(jobs().approve(id, "ann", "fine")).isTrue();
      case REJECT -> assertThat(jobs().reject(id, "ann", "no")).isTrue();
      case CLAIM -> claimOne(a, Set.of(kindOf(subject)));
      case HAND_BACK -> assertThat(reports(subject, new HandedBack())).isTrue();
      case RESCUE -> assertThat(loseAndRescue(subject.replica())).isEqualTo(1);
      case LOSE -> {
        begin(subject.replica(), subject.claimed());
        assertThat(loseAndRescue(subject.replica())).isEqualTo(1);
      }
      case CRASH_TOO_OFTEN -> crashTooOften(subject);
      case SUCCEED -> succeed(subject.replica(), subject.claimed());
      case RETRY -> assertThat(reports(subject, new Retried("no", HOUR))).isTrue();
      case SNOOZE -> assertThat(reports(subject, new Snoozed(HOUR))).isTrue();
      case DIE -> assertThat(reports(subject, new Died("no"))).isTrue();
      case DISCARD -> assertThat(reports(subject, new Discarded("no"))).isTrue();
      case CANCEL -> assertThat(cancels(id)).isTrue();
      case RESCHEDULE -> assertThat(jobs().reschedule(id, jobs().now().plus(HOUR))).isTrue();
      case REQUEUE -> assertThat(jobs().requeue(List.of(id), "ann")).containsExactly(id);
      default -> throw new AssertionError("no test makes " + step);
    }
  }

  /** All that can expire do so together, because here time may cost time. */
  private void expireAll(Set<Step> visited) {
    Duration soon = SHORT.multipliedBy(5);
    List<Step> steps = new ArrayList<>();
    List<JobId> ids = new ArrayList<>();
    for (Step step : table()) {
      if (step.transition() == JobTransition.EXPIRE) {
        JobId id = in(step.from(), newDraft().deadline(jobs().now().plus(soon))).id();
        assertThat(state(id)).as("before %s", step).isEqualTo(step.from());
        steps.add(step);
        ids.add(id);
      }
    }
    letTimePass(soon);
    for (int i = 0; i < ids.size(); i++) {
      expectSoon(ids.get(i), JobState.EXPIRED);
      visit(ids.get(i), steps.get(i), visited);
    }
  }

  /** Adds a job and brings it to a state. */
  private Subject in(JobState state, DraftBuilder wish) {
    MemberId replica = MemberId.random();
    join(replica);
    return switch (state) {
      case SCHEDULED -> waiting(wish.after(HOUR), replica);
      case AWAITING_APPROVAL -> added(wish.approval(HOUR), replica);
      case READY -> waiting(wish, replica);
      case RUNNING -> running(wish, replica);
      case RETRYING -> ended(wish, replica, new Retried("no", HOUR));
      case SUCCEEDED -> ended(wish, replica, success());
      case DEAD -> ended(wish, replica, new Died("no"));
      case CANCELLED -> {
        Subject subject = waiting(wish, replica);
        assertThat(cancels(subject.id())).isTrue();
        yield subject;
      }
      case REJECTED -> {
        Subject subject = added(wish.approval(HOUR), replica);
        assertThat(jobs().reject(subject.id(), "ann", "no")).isTrue();
        yield subject;
      }
      case EXPIRED -> {
        Subject subject = added(wish.deadline(longAgo()), replica);
        expectSoon(subject.id(), JobState.EXPIRED);
        yield subject;
      }
      case UNKNOWN -> {
        Subject subject = running(wish.atMostOnce(), replica);
        begin(replica, subject.claimed());
        assertThat(loseAndRescue(replica)).isEqualTo(1);
        yield subject;
      }
    };
  }

  private Subject added(DraftBuilder wish, MemberId replica) {
    return new Subject(enqueue(wish), wish, replica, null);
  }

  /** Adds a job that is past its gate, if it has one. */
  private Subject waiting(DraftBuilder wish, MemberId replica) {
    Subject subject = added(wish, replica);
    if (wish.draft().rules().approval().isPresent()) {
      assertThat(jobs().approve(subject.id(), "ann", "fine")).isTrue();
    }
    return subject;
  }

  private Subject running(DraftBuilder wish, MemberId replica) {
    Subject subject = waiting(wish, replica);
    ClaimedJob run = claimOne(replica, Set.of(kindOf(subject)));
    return new Subject(subject.id(), wish, replica, run);
  }

  private Subject ended(DraftBuilder wish, MemberId replica, End end) {
    Subject subject = running(wish, replica);
    assertThat(reports(subject, end)).isTrue();
    return subject;
  }

  private void crashTooOften(Subject subject) {
    assertThat(loseAndRescue(subject.replica())).isEqualTo(1);
    for (int crash = 2; crash <= JobStore.MOST_CRASHES; crash++) {
      MemberId doomed = MemberId.random();
      join(doomed);
      begin(doomed, claimOne(doomed, Set.of(kindOf(subject))));
      assertThat(loseAndRescue(doomed)).isEqualTo(1);
    }
  }

  private boolean claims(Subject subject) {
    return !newExchange(b, 1, Set.of(kindOf(subject))).with(jobs()).jobs().isEmpty();
  }

  private boolean cancels(JobId id) {
    return jobs().cancel(id, "ann", "no");
  }

  private boolean reports(Subject subject, End end) {
    ClaimedJob run = subject.run() == null ? neverClaimed(subject) : subject.claimed();
    return complete(subject.replica(), run, end);
  }

  private boolean reportsOtherwise(Subject subject) {
    boolean succeeded = state(subject.id()) == JobState.SUCCEEDED;
    return reports(subject, succeeded ? new Died("no") : success());
  }

  private ClaimedJob neverClaimed(Subject subject) {
    return new ClaimedJob(
        subject.replica(),
        new JobRun(subject.id(), 1, 1),
        subject.draft().draft().lane(),
        1,
        new byte[0],
        subject.draft().draft().rules(),
        subject.draft().draft().limitKey(),
        jobs().now(),
        Map.of());
  }

  private static String kindOf(Subject subject) {
    return subject.draft().draft().lane().kind();
  }
}
