package dev.monotick.postgres.job.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.job.JobFixture;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.StoreExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are cancelled while replicas claim, hand back, snooze and complete them. */
@Tag("thorough")
@Timeout(120)
final class JobCancelRaceTest {

  private static final int JOBS = 300;
  private static final int REPLICAS = 3;
  private static final int CANCELLERS = 2;

  @Test
  void ofAllWhoEndAJobOneDoes() throws Exception {
    try (JobFixture fixture = new JobFixture()) {
      JobStore elsewhere = fixture.open(builder -> builder);
      List<JobId> ids = fixture.add(JOBS).stream().map(Enqueued::id).toList();
      List<Callable<List<JobId>>> calls = new ArrayList<>();
      for (int i = 0; i < CANCELLERS; i++) {
        List<JobId> mine = new ArrayList<>(ids);
        Collections.shuffle(mine, new Random(i));
        calls.add(() -> mine.stream().filter(id -> elsewhere.cancel(id, "ann", "race")).toList());
      }
      for (int i = 0; i < REPLICAS; i++) {
        MemberId replica = fixture.join();
        Random random = new Random(i);
        calls.add(() -> work(fixture, replica, random));
      }
      List<List<JobId>> ended = new ArrayList<>();
      ExecutorService threads = Executors.newFixedThreadPool(calls.size());
      try {
        for (Future<List<JobId>> call : threads.invokeAll(calls)) {
          ended.add(call.get());
        }
      } finally {
        threads.shutdownNow();
      }
      List<JobId> cancelled = flat(ended.subList(0, CANCELLERS));
      List<JobId> succeeded = flat(ended.subList(CANCELLERS, ended.size()));
      assertThat(cancelled).as("neither side won all").isNotEmpty().doesNotHaveDuplicates();
      assertThat(succeeded).as("neither side won all").isNotEmpty().doesNotHaveDuplicates();
      Set<JobId> all = new TreeSet<>(cancelled);
      all.addAll(succeeded);
      assertThat(all).hasSize(JOBS).hasSize(cancelled.size() + succeeded.size());
      for (JobId id : ids) {
        Job job = fixture.jobs.find(id).orElseThrow();
        assertThat(job.state())
            .isEqualTo(cancelled.contains(id) ? JobState.CANCELLED : JobState.SUCCEEDED);
        assertThat(job.attempts())
            .filteredOn(
                end -> end.outcome() == Outcome.SUCCEEDED || end.outcome() == Outcome.CANCELLED)
            .as("ends of job " + id)
            .hasSize(1);
      }
      assertThat(fixture.counts())
          .isEqualTo("0 0 0 %d 0 0 %d".formatted(succeeded.size(), cancelled.size()));
    }
  }

  /** Returns the jobs that this replica completed. */
  private static List<JobId> work(JobFixture fixture, MemberId replica, Random random) {
    List<JobId> completed = new ArrayList<>();
    List<Completion> finishes = new ArrayList<>();
    while (!finishes.isEmpty() || !isOver(fixture)) {
      StoreExchange.Reply reply = fixture.wanting(replica, 5, finishes).with(fixture.jobs);
      for (int i = 0; i < finishes.size(); i++) {
        if (reply.finished().get(i) && finishes.get(i).result() instanceof Completion.Succeeded) {
          completed.add(finishes.get(i).job().id());
        }
      }
      finishes = new ArrayList<>();
      for (ClaimedJob job : reply.jobs()) {
        finishes.add(JobFixture.end(job, anyEnd(random)));
      }
    }
    return completed;
  }

  private static Completion.End anyEnd(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Completion.HandedBack();
      case 1 -> new Completion.Snoozed(Duration.ofMillis(1));
      default -> new Completion.Succeeded(null);
    };
  }

  private static boolean isOver(JobFixture fixture) {
    return fixture
        .query("select count(*) from @job_attempt where outcome in (0, 9)")
        .equals(List.of(String.valueOf(JOBS)));
  }

  private static List<JobId> flat(List<List<JobId>> lists) {
    return lists.stream().flatMap(List::stream).toList();
  }
}
