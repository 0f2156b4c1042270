package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store shows its jobs, their progress and their number. */
@Timeout(120)
public abstract class JobViewContract extends JobStoreContract {

  private static final JobFilter ALL = filter(Optional.empty(), Optional.empty());

  /** For backends. */
  protected JobViewContract() {}

  @Test
  void progressOfARunIsShown() {
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    Instant startedAt = jobs().now().minusSeconds(2).truncatedTo(ChronoUnit.MILLIS);
    assertThat(jobs().note(a, List.of(note(run, startedAt, 0.25, "page 1 of 4")))).isEmpty();
    Job.Running shown = job(id).run().orElseThrow();
    assertThat(shown.startedAt()).contains(startedAt);
    assertThat(shown.progress()).contains(0.25);
    assertThat(shown.doing()).contains("page 1 of 4");
    jobs().note(a, List.of(new RunProgress(run.run(), startedAt, null, null, List.of())));
    assertThat(job(id).run().orElseThrow().startedAt()).contains(startedAt);
    succeed(a, run);
    assertThat(job(id).run()).isEmpty();
  }

  @Test
  void progressOfAnEarlierRunIsNotShown() {
    JobId id = enqueue(aJob());
    ClaimedJob first = claimOne(a);
    jobs().note(a, List.of(note(first, jobs().now(), 0.9, "nearly")));
    complete(a, first, new Retried("no", HOUR));
    jobs().reschedule(id, longAgo());
    claimOne(b);
    Job.Running shown = job(id).run().orElseThrow();
    assertThat(shown.progress()).isEmpty();
    assertThat(shown.startedAt()).isEmpty();
  }

  @Test
  void runsThatAreNoLongerTheReplicasAreReturned() {
    enqueue(4, aJob());
    List<ClaimedJob> runs = claim(a, 4);
    succeed(a, runs.get(0));
    jobs().cancel(runs.get(1).id(), "ann", "no");
    List<RunProgress> notes = new ArrayList<>();
    runs.forEach(run -> notes.add(note(run, jobs().now(), 0.5, "half")));
    assertThat(jobs().note(a, notes))
        .containsExactlyInAnyOrder(runs.get(0).run(), runs.get(1).run());
    assertThat(jobs().note(b, List.of(notes.get(2))))
        .as("of another")
        .containsExactly(runs.get(2).run());
    JobRun unknown = new JobRun(new JobId(1L << 40), 1, 1);
    RunProgress stray = new RunProgress(unknown, jobs().now(), null, null, List.of());
    assertThat(jobs().note(a, List.of(stray))).containsExactly(unknown);
    assertThat(jobs().note(a, List.of())).isEmpty();
  }

  @Test
  void linesOfAJobAreKeptInTheirOrder() {
    JobId id = enqueue(aJob());
    JobId other = enqueue(aJob());
    List<ClaimedJob> runs = claim(a, 2);
    Instant at = jobs().now().truncatedTo(ChronoUnit.MILLIS);
    log(runs.get(0), at, "one", "two");
    log(runs.get(1), at, "other");
    log(runs.get(0), at.plusMillis(5), "three");
    complete(a, runs.get(0), new Retried("no", HOUR));
    log(runs.get(0), at, "last words");
    assertThat(jobs().log(id, 10))
        .containsExactly(
            new Job.LogLine(at, "one"),
            new Job.LogLine(at, "two"),
            new Job.LogLine(at.plusMillis(5), "three"),
            new Job.LogLine(at, "last words"));
    assertThat(jobs().log(id, 2)).extracting(Job.LogLine::text).containsExactly("one", "two");
    assertThat(jobs().log(other, 10)).extracting(Job.LogLine::text).containsExactly("other");
  }

  @Test
  void jobsAreListedYoungestFirstWithoutPayloadsAndAttempts() {
    List<JobId> ids = enqueue(5, aJob());
    complete(a, claimOne(a), new Died("no"));
    List<Job> listed = jobs().list(ALL, 10);
    assertThat(listed)
        .extracting(Job::id)
        .containsExactly(ids.get(4), ids.get(3), ids.get(2), ids.get(1), ids.get(0));
    assertThat(listed).allMatch(job -> job.attempts().isEmpty() && job.payload().length == 0);
    assertThat(listed.get(4).state()).isEqualTo(JobState.DEAD);
    assertThat(listed.get(4).lane()).isEqualTo(aJob().draft().lane());
  }

  @Test
  void jobsAreListedByTheirNumbers() {
    List<JobId> ids = enqueue(4, aJob());
    complete(a, claimOne(a), new Died("no"));
    JobId forgotten = new JobId(1);
    List<Job> listed = jobs().list(List.of(ids.get(0), ids.get(2), forgotten, ids.get(2)));
    assertThat(listed).extracting(Job::id).containsExactly(ids.get(2), ids.get(0));
    assertThat(listed).extracting(Job::state).containsExactly(JobState.READY, JobState.DEAD);
    assertThat(listed).allMatch(job -> job.attempts().isEmpty() && job.payload().length == 0);
    assertThat(jobs().list(List.of())).isEmpty();
  }

  @Test
  void listIsReadPageByPage() {
    List<JobId> ids = enqueue(7, aJob());
    List<JobId> read = new ArrayList<>();
    Optional<JobId> before = Optional.empty();
    while (true) {
      List<Job> page = jobs().list(filter(Optional.empty(), before), 3);
      if (page.isEmpty()) {
        break;
      }
      page.forEach(job -> read.add(0, job.id()));
      before = Optional.of(page.get(page.size() - 1).id());
    }
    assertThat(read).isEqualTo(ids);
  }

  @Test
  void listShowsEachStateAlone() {
    Map<JobState, JobId> byState = new EnumMap<>(JobState.class);
    byState.put(JobState.SUCCEEDED, enqueue(aJob()));
    succeed(a, claimOne(a));
    byState.put(JobState.DEAD, enqueue(aJob()));
    complete(a, claimOne(a), new Died("no"));
    byState.put(JobState.CANCELLED, enqueue(aJob()));
    complete(a, claimOne(a), new Discarded("no"));
    byState.put(JobState.RETRYING, enqueue(aJob()));
    complete(a, claimOne(a), new Retried("no", HOUR));
    byState.put(JobState.UNKNOWN, enqueue(aJob().atMostOnce()));
    begin(b, claimOne(b));
    loseAndRescue(b);
    byState.put(JobState.REJECTED, enqueue(aJob().approval(HOUR)));
    jobs().reject(byState.get(JobState.REJECTED), "ann", "no");
    byState.put(JobState.EXPIRED, enqueue(aJob().deadline(longAgo())));
    expectSoon(byState.get(JobState.EXPIRED), JobState.EXPIRED);
    byState.put(JobState.RUNNING, enqueue(aJob()));
    claimOne(a);
    byState.put(JobState.AWAITING_APPROVAL, enqueue(aJob().approval(HOUR)));
    byState.put(JobState.SCHEDULED, enqueue(aJob().after(HOUR)));
    byState.put(JobState.READY, enqueue(aJob()));
    for (JobState state : JobState.values()) {
      List<Job> listed = jobs().list(JobFilter.in(state), 10);
      assertThat(listed).as("%s", state).extracting(Job::id).containsExactly(byState.get(state));
      assertThat(listed).extracting(Job::state).containsExactly(state);
    }
  }

  @Test
  void listIsOfAQueueAKindOrATenant() {
    JobId id = enqueue(aJob().queue("q").kind("k").tenant("t"));
    enqueue(aJob().queue("q"));
    enqueue(aJob().kind("k"));
    enqueue(aJob().tenant("t"));
    Optional<String> none = Optional.empty();
    assertThat(listed(Optional.of("q"), none, none)).hasSize(2);
    assertThat(listed(none, Optional.of("k"), none)).hasSize(2);
    assertThat(listed(none, none, Optional.of("t"))).hasSize(2);
    assertThat(listed(none, none, Optional.of("nobody"))).isEmpty();
    assertThat(listed(Optional.of("q"), Optional.of("k"), Optional.of("t")))
        .extracting(Job::id)
        .containsExactly(id);
  }

  @Test
  void countsAreThoseOfEachLane() {
    enqueue(3, aJob());
    enqueue(2, aJob().priority(1).after(HOUR));
    enqueue(aJob().tenant("acme").approval(HOUR));
    JobId dead = enqueue(aJob().kind(OTHER_KIND));
    complete(a, claimOne(a, Set.of(OTHER_KIND)), new Died("no"));
    ClaimedJob retried = claimOne(a);
    complete(a, retried, new Retried("no", HOUR));
    succeed(a, claimOne(a));
    claimOne(a);
    jobs().cancel(retried.id(), "ann", "no");
    assertThat(jobs().counts())
        .contains(
            new JobCount(aJob().draft().lane(), 0, 0, 1, 1, 1, 0, 1),
            new JobCount(aJob().priority(1).draft().lane(), 2, 0, 0, 0, 0, 0, 0),
            new JobCount(aJob().tenant("acme").draft().lane(), 1, 0, 0, 0, 0, 0, 0),
            new JobCount(aJob().kind(OTHER_KIND).draft().lane(), 0, 0, 0, 0, 1, 1, 0));
    jobs().requeue(List.of(dead), "ann");
    assertThat(jobs().counts())
        .contains(new JobCount(aJob().kind(OTHER_KIND).draft().lane(), 0, 1, 0, 0, 1, 0, 0));
  }

  private void log(ClaimedJob run, Instant at, String... lines) {
    List<Job.LogLine> noted = new ArrayList<>();
    for (String line : lines) {
      noted.add(new Job.LogLine(at, line));
    }
    jobs().note(a, List.of(new RunProgress(run.run(), at, null, null, noted)));
  }

  private List<Job> listed(Optional<String> queue, Optional<String> kind, Optional<String> tenant) {
    return jobs().list(new JobFilter(Optional.empty(), queue, kind, tenant, Optional.empty()), 10);
  }

  private static RunProgress note(
      ClaimedJob run, Instant startedAt, double progress, String doing) {
    return new RunProgress(run.run(), startedAt, progress, doing, List.of());
  }

  private static JobFilter filter(Optional<JobState> state, Optional<JobId> before) {
    return new JobFilter(state, Optional.empty(), Optional.empty(), Optional.empty(), before);
  }
}
