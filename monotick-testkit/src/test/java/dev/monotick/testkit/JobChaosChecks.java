package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.JobCounter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What must hold after every step of a {@link JobChaos}, from what replicas were told. */
final class JobChaosChecks {

  private final JobStore jobs;
  private final Set<JobId> known = new HashSet<>();
  private final List<Job> purged = new ArrayList<>();
  private final Map<JobRun, MemberId> owners = new HashMap<>();
  private final Map<JobRun, Completion> accepted = new LinkedHashMap<>();
  private final Map<List<String>, Integer> allowed = new HashMap<>();
  long timesAtALimit;

  JobChaosChecks(JobStore jobs) {
    this.jobs = jobs;
  }

  void added(JobId id) {
    assertThat(known.add(id)).as("id %s is new", id).isTrue();
  }

  void purged(Job job) {
    known.remove(job.id());
    purged.add(job);
  }

  void claimed(MemberId replica, ClaimedJob job) {
    MemberId before = owners.putIfAbsent(job.run(), replica);
    assertThat(before == null || before.equals(replica))
        .as("run %s is of one replica", job.run())
        .isTrue();
  }

  void accepted(MemberId replica, Completion finish) {
    assertThat(owners.get(finish.job().run())).isEqualTo(replica);
    assertThat(accepted.put(finish.job().run(), finish))
        .as("run %s was reported once", finish.job().run())
        .isNull();
  }

  Map<Outcome, Long> outcomes() {
    Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
    all().forEach(job -> job.attempts().forEach(a -> sums.merge(a.outcome(), 1L, Long::sum)));
    return sums;
  }

  List<Job> all() {
    List<Job> all = new ArrayList<>();
    known.forEach(id -> all.add(jobs.find(id).orElseThrow(() -> new AssertionError("lost " + id))));
    return all;
  }

  void check() {
    List<Job> all = all();
    JobCounter counter = new JobCounter();
    all.forEach(counter::add);
    purged.forEach(counter::addForgotten);
    counter.compareWith(jobs.counts());
    all.forEach(JobChaosChecks::checkAttempts);
    checkStates(all);
    checkKeys(all);
    checkLimits(all);
    checkReports(all);
  }

  private void checkStates(List<Job> all) {
    Map<JobId, JobState> listed = new HashMap<>();
    for (JobState state : JobState.values()) {
      for (Job job : jobs.list(JobFilter.in(state), Integer.MAX_VALUE)) {
        assertThat(listed.put(job.id(), state)).as("%s is in one state", job.id()).isNull();
      }
    }
    Map<JobId, JobState> found = new HashMap<>();
    all.forEach(job -> found.put(job.id(), job.state()));
    assertThat(listed).isEqualTo(found);
  }

  /** Counts attempts anew from how the runs ended. */
  private static void checkAttempts(Job job) {
    int used = 0;
    int crashes = 0;
    Outcome last = null;
    for (Job.Attempt attempt : job.attempts()) {
      last = attempt.outcome();
      if (last == Outcome.REQUEUED) {
        used = 0;
        crashes = 0;
        continue;
      }
      assertThat(attempt.attempt()).as("attempt of %s", job).isEqualTo(used + 1);
      used += last == Outcome.RETRIED || last == Outcome.DIED ? 1 : 0;
      boolean lost = last == Outcome.RESCUED || last == Outcome.CRASHED;
      crashes += lost && (crashes == 0 || attempt.startedAt().isPresent()) ? 1 : 0;
      assertThat(last == Outcome.CRASHED).isEqualTo(crashes == JobStore.MOST_CRASHES);
      assertThat(used).isLessThanOrEqualTo(job.rules().maxAttempts());
    }
    if (job.state().isTerminal()) {
      assertThat(last).as("how %s ended", job).isIn(endsOf(job.state()));
    }
  }

  private static List<Outcome> endsOf(JobState state) {
    return switch (state) {
      case SUCCEEDED -> List.of(Outcome.SUCCEEDED);
      case DEAD -> List.of(Outcome.DIED, Outcome.CRASHED);
      case CANCELLED -> List.of(Outcome.CANCELLED, Outcome.DISCARDED);
      case REJECTED -> List.of(Outcome.REJECTED);
      case EXPIRED -> List.of(Outcome.EXPIRED);
      case UNKNOWN -> List.of(Outcome.LOST);
      default -> throw new AssertionError(state);
    };
  }

  private static void checkKeys(List<Job> all) {
    Set<List<String>> keys = new HashSet<>();
    for (Job job : all) {
      if (job.uniqueKey().isPresent() && !job.state().isTerminal()) {
        Lane lane = job.lane();
        assertThat(keys.add(List.of(lane.kind(), lane.tenant(), job.uniqueKey().get())))
            .as("key of %s is its own", job)
            .isTrue();
      }
    }
  }

  /** What ran already when a limit was set or lowered may go on, but nothing may join it. */
  private void checkLimits(List<Job> all) {
    Map<List<String>, Integer> running = new HashMap<>();
    Map<List<String>, Integer> most = new HashMap<>();
    for (JobLimit limit : jobs.limits()) {
      for (Job job : all) {
        Optional<List<String>> use = useOf(limit.scope(), job);
        if (use.isPresent()) {
          most.put(use.get(), limit.running().orElse(Integer.MAX_VALUE));
          running.merge(use.get(), job.state() == JobState.RUNNING ? 1 : 0, Integer::sum);
        }
      }
    }
    running.forEach(
        (use, count) -> {
          int limit = most.getOrDefault(use, Integer.MAX_VALUE);
          int bound = Math.max(limit, allowed.getOrDefault(use, Integer.MAX_VALUE));
          assertThat(count).as("running of %s", use).isLessThanOrEqualTo(bound);
          timesAtALimit += count >= limit ? 1 : 0;
        });
    allowed.clear();
    allowed.putAll(running);
  }

  private static Optional<List<String>> useOf(JobLimit.Scope scope, Job job) {
    boolean each = scope.tenant().equals(JobLimit.Scope.EACH);
    boolean isBound =
        (scope.kind().isEmpty() || scope.kind().equals(job.lane().kind()))
            && (scope.tenant().isEmpty() || each || scope.tenant().equals(job.lane().tenant()))
            && (!scope.perKey() || job.limitKey().isPresent());
    String tenant = each ? job.lane().tenant() : "";
    String key = scope.perKey() ? job.limitKey().orElse("") : "";
    return isBound ? Optional.of(List.of(scope.toString(), tenant, key)) : Optional.empty();
  }

  /** What a replica was told counts is what is recorded. */
  private void checkReports(List<Job> all) {
    Map<JobId, Job> byId = new HashMap<>();
    all.forEach(job -> byId.put(job.id(), job));
    accepted.forEach(
        (run, finish) -> {
          Job job = byId.get(run.id());
          if (job != null) {
            List<Outcome> recorded =
                job.attempts().stream()
                    .filter(attempt -> attempt.run() == run.number())
                    .map(Job.Attempt::outcome)
                    .toList();
            assertThat(recorded).as("ends of run %s", run).hasSize(1);
            assertThat(recorded.get(0)).isIn(outcomesOf(finish));
          }
        });
  }

  private static List<Outcome> outcomesOf(Completion finish) {
    if (finish.result() instanceof Completion.Succeeded) {
      return List.of(Outcome.SUCCEEDED);
    } else if (finish.result() instanceof Completion.Retried) {
      return List.of(Outcome.RETRIED, Outcome.DIED);
    } else if (finish.result() instanceof Completion.Snoozed) {
      return List.of(Outcome.SNOOZED);
    } else if (finish.result() instanceof Completion.Died) {
      return List.of(Outcome.DIED);
    } else if (finish.result() instanceof Completion.Discarded) {
      return List.of(Outcome.DISCARDED);
    } else if (finish.result() instanceof Completion.Lost) {
      return List.of(Outcome.LOST);
    }
    return List.of(Outcome.HANDED_BACK);
  }
}
