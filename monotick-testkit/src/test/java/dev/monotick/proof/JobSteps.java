package dev.monotick.proof;

import static dev.monotick.proof.JobState.ASKED;
import static dev.monotick.proof.JobState.CHECKED;
import static dev.monotick.proof.JobState.FROZEN;
import static dev.monotick.proof.JobState.GRANTED;
import static dev.monotick.proof.JobState.HANDLING;
import static dev.monotick.proof.JobState.MAY;
import static dev.monotick.proof.JobState.OVER;

import dev.monotick.proof.Explorer.Step;
import dev.monotick.proof.JobModel.Rule;
import dev.monotick.proof.JobState.Field;
import dev.monotick.proof.JobState.Many;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * All ways in which a state of the model of jobs may go on: the actions of {@code jobs.tla} under
 * the same names and with the same conditions. The reasons stand there. Here is what replicas do;
 * {@link JobStoreSteps} has what the store does.
 */
final class JobSteps {

  static final int OK = 0;
  static final int FAILED = 1;
  private static final int RUNS = 32;

  private final JobModel model;
  private final JobState now;
  private final JobView view;
  private final List<Step<JobState>> steps = new ArrayList<>();

  private JobSteps(JobModel model, JobState now) {
    this.model = model;
    this.now = now;
    this.view = new JobView(model, now);
  }

  static List<Step<JobState>> of(JobModel model, JobState now) {
    JobSteps steps = new JobSteps(model, now);
    for (int replica = 1; replica <= model.replicas(); replica++) {
      steps.offers(replica);
      steps.hearsOfClaim(replica);
      steps.readsClaim(replica);
      steps.noticeStarts(replica);
      steps.losesLease(replica);
      steps.crashes(replica);
      steps.rejoins(replica);
    }
    for (int x = 0; x < steps.view.runs(); x++) {
      steps.asksForStart(x);
      steps.checks(x);
      steps.begins(x);
      steps.finishes(x, OK);
      steps.finishes(x, FAILED);
    }
    new JobStoreSteps(model, now, steps.steps).add();
    return steps.steps;
  }

  /** Returns the element of a set that names a claim and a run. */
  static int about(int key, int x) {
    return key * RUNS + x;
  }

  static int keyOf(int about) {
    return about / RUNS;
  }

  static int runOf(int about) {
    return about % RUNS;
  }

  static int report(int key, int x, int outcome) {
    return about(key, x) * 2 + outcome;
  }

  private void step(Supplier<String> words, Consumer<JobState> change) {
    JobState after = now.copy();
    change.accept(after);
    steps.add(new Step<>(after, words));
  }

  private boolean isTrusted(int replica) {
    return now.is(Field.TRUSTED, replica);
  }

  private void offers(int replica) {
    if (!model.handOff() || !isTrusted(replica) || now.is(Field.OFFERED, replica)) {
      return;
    }
    int member = view.mem(replica);
    int number = now.get(Field.NEXT_OFFER, member);
    step(
        () -> "r" + replica + " offers " + words(view.keyOf(replica, number)),
        after -> {
          after.set(Field.OFFERED, replica, number);
          after.set(Field.NEXT_OFFER, member, number + 1);
          after.add(Many.OFFERS, view.keyOf(replica, number));
        });
  }

  private void hearsOfClaim(int replica) {
    int member = view.mem(replica);
    int number = now.get(Field.NEXT, member);
    int key = view.keyOf(replica, number);
    if (isTrusted(replica) && isHeardFirst(key)) {
      step(
          () -> "r" + replica + " hears of claim " + words(key),
          after -> {
            grant(after, key, member);
            after.set(Field.NEXT, member, model.is(Rule.NUMBER_REUSED) ? number : number + 1);
          });
    }
  }

  private void readsClaim(int replica) {
    int key = view.keyOf(replica, now.get(Field.OFFERED, replica));
    if (!isTrusted(replica) || !now.is(Field.OFFERED, replica) || !isHeardFirst(key)) {
      return;
    }
    boolean isNoticed =
        IntStream.of(now.all(Many.NOTICES)).anyMatch(notice -> keyOf(notice) == key);
    if (isNoticed || !model.is(Rule.READ_ONLY_ON_NOTICE)) {
      step(
          () -> "r" + replica + " reads claim " + words(key),
          after -> {
            grant(after, key, view.mem(replica));
            after.set(Field.OFFERED, replica, 0);
          });
    }
  }

  private boolean isHeardFirst(int key) {
    return IntStream.of(view.open(key)).anyMatch(view::isIdle);
  }

  private void grant(JobState after, int key, int member) {
    for (int x : view.open(key)) {
      if (view.isIdle(x)) {
        work(after, x, GRANTED, member, JobView.numberOf(key));
      }
    }
  }

  private static void work(JobState after, int x, int step, int member, int number) {
    after.set(Field.STEP, x, step);
    after.set(Field.WORK_MEMBER, x, member);
    after.set(Field.WORK_NUMBER, x, number);
  }

  private void noticeStarts(int replica) {
    int number = now.get(Field.OFFERED, replica);
    if (!model.is(Rule.NOTICE_STARTS_HANDLER) || !isTrusted(replica) || number == 0) {
      return;
    }
    for (int notice : now.all(Many.NOTICES)) {
      int x = runOf(notice);
      boolean isTheirs =
          IntStream.rangeClosed(1, model.members())
              .filter(member -> now.get(Field.OWNER, member) == replica)
              .anyMatch(member -> JobView.key(view.id(member), number) == keyOf(notice));
      if (isTheirs && view.isIdle(x)) {
        step(
            () -> "r" + replica + " takes notice " + words(keyOf(notice)) + " for a claim",
            after -> {
              work(after, x, GRANTED, view.mem(replica), number);
              after.set(Field.OFFERED, replica, 0);
            });
      }
    }
  }

  private void asksForStart(int x) {
    if (model.atMostOnce() && now.get(Field.STEP, x) == GRANTED) {
      step(
          () -> "a start record is asked for " + run(x),
          after -> {
            after.set(Field.STEP, x, ASKED);
            after.add(Many.STARTS, about(view.workKey(x), x));
          });
    }
  }

  private void checks(int x) {
    int step = now.get(Field.STEP, x);
    boolean mayCheck =
        step == MAY
            || (step == GRANTED && (!model.atMostOnce() || model.is(Rule.NO_START_RECORD)))
            || (step == ASKED && model.is(Rule.BEGIN_BEFORE_START_ANSWER));
    if (!mayCheck) {
      return;
    }
    int member = now.get(Field.WORK_MEMBER, x);
    int replica = now.get(Field.OWNER, member);
    boolean isTimely = isTrusted(replica) || model.is(Rule.BEGIN_WITHOUT_LEASE);
    boolean isCurrent =
        view.id(member) == view.id(view.mem(replica)) || model.is(Rule.ANSWER_TO_ANY_MEMBERSHIP);
    if (isTimely && isCurrent) {
      step(() -> "r" + replica + " checks " + run(x), after -> after.set(Field.STEP, x, CHECKED));
    }
  }

  private void begins(int x) {
    int step = now.get(Field.STEP, x);
    if (step != CHECKED && step != FROZEN) {
      return;
    }
    int job = view.jobOf(x);
    boolean isOver = view.isFinal(job) || now.get(Field.RUN, job) > view.runOf(x);
    step(
        () -> "the handler of " + run(x) + " begins",
        after -> {
          if (isOver && step == CHECKED) {
            after.set(Field.WRONG, JobState.Property.S2, 1);
          }
          if (model.atMostOnce()) {
            after.more(Field.BEGUN, job);
          }
          after.set(Field.STEP, x, HANDLING);
        });
  }

  private void finishes(int x, int outcome) {
    if (now.get(Field.STEP, x) == HANDLING && (outcome == OK || view.runOf(x) == 1)) {
      step(
          () -> run(x) + (outcome == OK ? " reports success" : " reports failure"),
          after -> {
            after.add(Many.REPORTS, report(view.workKey(x), x, outcome));
            work(after, x, OVER, 0, 0);
          });
    }
  }

  private void losesLease(int replica) {
    if (isTrusted(replica) && view.mayLose()) {
      step(
          () -> "r" + replica + " loses its lease",
          after -> {
            after.set(Field.TRUSTED, replica, 0);
            for (int x : view.theirs(replica)) {
              if (now.get(Field.STEP, x) == CHECKED) {
                after.set(Field.STEP, x, FROZEN);
              }
            }
          });
    }
  }

  private void crashes(int replica) {
    if (isTrusted(replica) ? view.mayLose() : view.theirs(replica).length > 0) {
      step(
          () -> "r" + replica + " crashes",
          after -> {
            after.set(Field.TRUSTED, replica, 0);
            for (int x : view.theirs(replica)) {
              work(after, x, OVER, 0, 0);
            }
          });
    }
  }

  private void rejoins(int replica) {
    int member = view.minted() + 1;
    if (isTrusted(replica) || member > model.members()) {
      return;
    }
    boolean keeps = model.is(Rule.REJOIN_KEEPS_IDENTITY);
    step(
        () -> "r" + replica + " rejoins" + (keeps ? "" : " as m" + member),
        after -> {
          after.set(Field.OWNER, member, replica);
          after.set(Field.GONE, keeps ? replica : view.mem(replica), keeps ? 0 : 1);
          after.set(Field.MEM, replica, member);
          after.set(Field.TRUSTED, replica, 1);
          after.set(Field.OFFERED, replica, 0);
        });
  }

  private String run(int x) {
    return words(view, x);
  }

  static String words(JobView view, int x) {
    return "run " + view.runOf(x) + " of job " + (view.jobOf(x) + 1);
  }

  static String words(int key) {
    return "(m" + JobView.idOf(key) + ", " + JobView.numberOf(key) + ")";
  }
}
