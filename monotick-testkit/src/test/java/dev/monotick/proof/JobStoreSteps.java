package dev.monotick.proof;

import static dev.monotick.proof.JobState.ASKED;
import static dev.monotick.proof.JobState.DEAD;
import static dev.monotick.proof.JobState.FADING;
import static dev.monotick.proof.JobState.MAY;
import static dev.monotick.proof.JobState.NEW;
import static dev.monotick.proof.JobState.NOTHING;
import static dev.monotick.proof.JobState.PURGED;
import static dev.monotick.proof.JobState.READY;
import static dev.monotick.proof.JobState.RUNNING;
import static dev.monotick.proof.JobState.SUCCEEDED;
import static dev.monotick.proof.JobState.UNKNOWN;

import dev.monotick.proof.Explorer.Step;
import dev.monotick.proof.JobModel.Rule;
import dev.monotick.proof.JobState.Field;
import dev.monotick.proof.JobState.Many;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What the store does in the model of jobs; see {@link JobSteps}. */
final class JobStoreSteps {

  private final JobModel model;
  private final JobState now;
  private final JobView view;
  private final List<Step<JobState>> steps;

  JobStoreSteps(JobModel model, JobState now, List<Step<JobState>> steps) {
    this.model = model;
    this.now = now;
    this.view = new JobView(model, now);
    this.steps = steps;
  }

  void add() {
    for (int job = 0; job < model.jobs(); job++) {
      enqueues(job);
      dropsEnds(job);
      dropsJob(job);
    }
    for (int member = 1; member <= model.members(); member++) {
      for (int number = 1; number <= now.get(Field.NEXT, member); number++) {
        claims(member, number);
      }
    }
    for (int replica = 1; replica <= model.replicas(); replica++) {
      declaresGone(replica);
      for (int number = 1; number < now.get(Field.NEXT, view.mem(replica)); number++) {
        givesBackOrphan(replica, number);
      }
    }
    IntStream.of(now.all(Many.NOTICES)).forEach(this::losesNotice);
    IntStream.of(now.all(Many.STARTS)).forEach(this::records);
    IntStream.of(now.all(Many.REPORTS)).forEach(this::completes);
    IntStream.of(view.rows()).forEach(this::rescues);
    IntStream.rangeClosed(1, model.members()).forEach(this::looksNoMore);
  }

  private void step(Supplier<String> words, Consumer<JobState> change) {
    JobState after = now.copy();
    change.accept(after);
    steps.add(new Step<>(after, words));
  }

  private void enqueues(int job) {
    if (now.get(Field.STATE, job) != NEW) {
      return;
    }
    step(() -> name(job) + " is added", after -> after.set(Field.STATE, job, READY));
    for (int key : now.all(Many.OFFERS)) {
      int x = view.run(job, 1);
      step(
          () -> name(job) + " is handed off as " + JobSteps.words(key),
          after -> {
            after.set(Field.STATE, job, RUNNING);
            claim(after, x, key);
            after.remove(Many.OFFERS, key);
            if (model.is(Rule.NOTICE_STARTS_HANDLER) || model.is(Rule.READ_ONLY_ON_NOTICE)) {
              after.add(Many.NOTICES, JobSteps.about(key, x));
            }
          });
    }
  }

  private static void claim(JobState after, int x, int key) {
    after.set(Field.CLAIM_MEMBER, x, JobView.idOf(key));
    after.set(Field.CLAIM_NUMBER, x, JobView.numberOf(key));
  }

  private void claims(int member, int number) {
    int replica = now.get(Field.OWNER, member);
    if (replica == 0) {
      return;
    }
    int key = JobView.key(view.id(member), number);
    boolean isAwaited =
        now.is(Field.TRUSTED, replica)
            && view.mem(replica) == member
            && number == now.get(Field.NEXT, member);
    if (view.named(key).length > 0) {
      return;
    }
    int mostRun = isAwaited ? model.maxRun() : 1;
    int[] ready =
        IntStream.range(0, model.jobs())
            .filter(job -> now.get(Field.STATE, job) == READY && now.get(Field.RUN, job) <= mostRun)
            .toArray();
    for (int some = 1; some < 1 << ready.length; some++) {
      int bits = some;
      int[] taken =
          IntStream.range(0, ready.length)
              .filter(i -> (bits >> i & 1) == 1)
              .map(i -> view.run(ready[i], now.get(Field.RUN, ready[i])))
              .toArray();
      step(
          () ->
              JobSteps.words(key)
                  + (isAwaited ? " claims " : " claims late ")
                  + String.join(
                      " and ", IntStream.of(taken).mapToObj(x -> JobSteps.words(view, x)).toList()),
          after -> {
            for (int x : taken) {
              claim(after, x, key);
              after.set(Field.STATE, view.jobOf(x), RUNNING);
            }
          });
    }
  }

  private void losesNotice(int notice) {
    if (model.is(Rule.READ_ONLY_ON_NOTICE)) {
      step(
          () -> "notice " + JobSteps.words(JobSteps.keyOf(notice)) + " is lost",
          after -> after.remove(Many.NOTICES, notice));
    }
  }

  private void records(int start) {
    int key = JobSteps.keyOf(start);
    int x = JobSteps.runOf(start);
    int job = view.jobOf(x);
    boolean isHeld = view.claim(x) == key && !now.is(Field.ENDED, x);
    if (!isHeld && !model.is(Rule.START_WITHOUT_CLAIM_LOCK)) {
      return;
    }
    boolean isNewest = now.get(Field.START_RUN, job) <= view.runOf(x);
    Consumer<JobState> record =
        after -> {
          if (isNewest) {
            start(after, job, view.runOf(x), JobView.idOf(key));
          }
        };
    JobState recorded = now.copy();
    record.accept(recorded);
    if (!recorded.equals(now)) {
      step(() -> "the start of " + JobSteps.words(view, x) + " is recorded, unheard", record);
    }
    if (now.get(Field.STEP, x) == ASKED && view.workKey(x) == key) {
      step(
          () -> "the start of " + JobSteps.words(view, x) + " is recorded",
          record.andThen(after -> after.set(Field.STEP, x, MAY)));
    }
  }

  private static void start(JobState after, int job, int run, int member) {
    after.set(Field.START_RUN, job, run);
    after.set(Field.START_MEMBER, job, member);
  }

  private void completes(int report) {
    int about = report / 2;
    boolean isSuccess = report % 2 == JobSteps.OK;
    int key = JobSteps.keyOf(about);
    int x = JobSteps.runOf(about);
    boolean isFirst = !now.is(Field.ENDED, x) || model.is(Rule.COMPLETE_TWICE);
    boolean isHeld =
        view.claim(x) == key
            || (model.is(Rule.COMPLETE_BY_NUMBER_ALONE) && view.named(key).length > 0)
            || model.is(Rule.COMPLETE_WITHOUT_CLAIM);
    if (!isFirst || !isHeld) {
      return;
    }
    int job = view.jobOf(x);
    step(
        () ->
            "the "
                + (isSuccess ? "success" : "failure")
                + " of "
                + JobSteps.words(view, x)
                + " is recorded",
        after -> {
          noteLate(after, job);
          if (isSuccess) {
            job(after, job, SUCCEEDED, view.runOf(x));
            if (!view.isPurged(job)) {
              after.more(Field.SUCCESSES, job);
            }
          } else if (model.atMostOnce()) {
            job(after, job, DEAD, view.runOf(x));
          } else {
            job(after, job, READY, view.runOf(x) + 1);
          }
          after.set(Field.ENDED, x, 1);
          for (int row : view.rows()) {
            if (IntStream.of(view.named(row)).allMatch(each -> after.is(Field.ENDED, each))) {
              IntStream.of(view.named(row)).forEach(each -> claim(after, each, 0));
            }
          }
          if (now.get(Field.START_RUN, job) <= view.runOf(x)) {
            start(after, job, 0, 0);
          }
        });
  }

  private static void job(JobState after, int job, int state, int run) {
    after.set(Field.STATE, job, state);
    after.set(Field.RUN, job, run);
  }

  private void noteLate(JobState after, int job) {
    if (view.isPurged(job)) {
      after.set(Field.WRONG, JobState.Property.S4, 1);
    } else if (view.isFinal(job)) {
      after.set(Field.WRONG, JobState.Property.S3, 1);
    }
  }

  private void bringsBack(String verb, int key) {
    step(
        () -> "claim " + JobSteps.words(key) + verb,
        after -> {
          for (int x : view.open(key)) {
            int job = view.jobOf(x);
            int run = view.runOf(x);
            boolean mayHaveBegun =
                (now.get(Field.START_RUN, job) == run
                        && now.get(Field.START_MEMBER, job) == JobView.idOf(key))
                    || model.is(Rule.UNKNOWN_WITHOUT_START);
            noteLate(after, job);
            if (model.atMostOnce() && mayHaveBegun) {
              job(after, job, UNKNOWN, run);
            } else {
              job(after, job, READY, run + 1);
            }
            if (now.get(Field.START_RUN, job) <= run) {
              start(after, job, 0, 0);
            }
          }
          for (int x : view.named(key)) {
            claim(after, x, 0);
            if (!model.is(Rule.RESCUE_LEAVES_NO_END)) {
              after.set(Field.ENDED, x, 1);
            }
          }
        });
  }

  private void rescues(int key) {
    int member = JobView.idOf(key);
    if ((now.is(Field.GONE, member) || model.is(Rule.RESCUE_WITHOUT_GONE))
        && !now.is(Field.RESCUED, member)) {
      bringsBack(" is rescued", key);
    }
  }

  private void looksNoMore(int member) {
    if (model.is(Rule.RESCUE_ONCE)
        && now.is(Field.GONE, member)
        && !now.is(Field.RESCUED, member)
        && IntStream.of(view.rows()).noneMatch(key -> JobView.idOf(key) == member)) {
      step(() -> "m" + member + " is rescued", after -> after.set(Field.RESCUED, member, 1));
    }
  }

  private void givesBackOrphan(int replica, int number) {
    int key = view.keyOf(replica, number);
    int[] open = view.open(key);
    if (now.is(Field.TRUSTED, replica)
        && !model.is(Rule.ORPHANS_KEPT)
        && open.length > 0
        && IntStream.of(open).allMatch(x -> now.get(Field.STEP, x) == NOTHING)) {
      bringsBack(" is given back", key);
    }
  }

  private void dropsEnds(int job) {
    int state = now.get(Field.STATE, job);
    boolean isNamed =
        IntStream.range(0, view.runs()).anyMatch(x -> view.jobOf(x) == job && view.claim(x) != 0);
    if ((state == SUCCEEDED || state == DEAD || state == UNKNOWN)
        && (!isNamed || model.is(Rule.PURGE_UNDER_CLAIM))) {
      step(
          () -> "the ends of " + name(job) + " are dropped",
          after -> {
            job(after, job, FADING, 0);
            IntStream.range(0, view.runs())
                .filter(x -> view.jobOf(x) == job)
                .forEach(x -> after.set(Field.ENDED, x, 0));
          });
    }
  }

  private void dropsJob(int job) {
    if (now.get(Field.STATE, job) == FADING) {
      step(() -> name(job) + " is purged", after -> after.set(Field.STATE, job, PURGED));
    }
  }

  private void declaresGone(int replica) {
    int member = view.id(view.mem(replica));
    if (!now.is(Field.GONE, member)
        && (!now.is(Field.TRUSTED, replica) || model.is(Rule.GONE_WHILE_TRUSTED))) {
      step(() -> "m" + member + " is declared gone", after -> after.set(Field.GONE, member, 1));
    }
  }

  private static String name(int job) {
    return "job " + (job + 1);
  }
}
