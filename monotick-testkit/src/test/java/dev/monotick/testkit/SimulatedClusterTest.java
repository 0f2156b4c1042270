package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatedClusterTest {

  private static final LeaseTiming HOURS =
      new LeaseTiming(
          Duration.ofHours(4),
          Duration.ofMinutes(60),
          Duration.ofMinutes(20),
          Duration.ofMinutes(40));

  private static final LeaseTiming MINUTES =
      new LeaseTiming(
          Duration.ofMinutes(4),
          Duration.ofMinutes(1),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  private static final JobKind<String> MAIL = JobKind.named("mail", String.class);

  @Test
  void monthOfHourlyTicksRunsEachOnceAlthoughTheLeaderCrashesEveryTwoHours() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .leaseTiming(MINUTES)
            .task(r -> Task.named("hourly").cron("15 * * * *").mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      int crashes = cluster.advanceCrashingLeaders(Duration.ofDays(30), Duration.ofHours(2));
      assertThat(crashes).isGreaterThan(350);
      assertThat(cluster.runs()).hasSize(30 * 24);
      assertThat(cluster.runs()).extracting(run -> run.tick().nominal()).doesNotHaveDuplicates();
    }
  }

  @Test
  void jobsAreHandledAlthoughReplicasCrashInTheMiddleOfThem() {
    List<SimulatedCluster> running = new ArrayList<>();
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .handler(MAIL, replica -> context -> mail(running.get(0), replica, context))
            .start()) {
      running.add(cluster);
      List<JobId> ids = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        ids.add(cluster.jobs().enqueue(MAIL.of(i == 3 ? "deadly" : "harmless")).id());
      }
      cluster.advance(Duration.ofMinutes(2));
      for (JobId id : ids) {
        JobState state = cluster.jobs().find(id).orElseThrow().state();
        assertThat(state).as("job %s", id).isEqualTo(JobState.SUCCEEDED);
      }
      assertThat(cluster.jobRuns()).hasSizeGreaterThan(10);
      assertThat(cluster.jobRuns()).extracting(SimulatedCluster.JobRun::kind).containsOnly("mail");
    }
  }

  /** The first replica that gets the deadly one dies of it. */
  private static JobOutcome mail(
      SimulatedCluster cluster, String replica, JobContext<String> context)
      throws InterruptedException {
    if (context.payload().equals("deadly") && context.run() == 1) {
      cluster.crash(Integer.parseInt(replica.substring("replica-".length())));
    }
    context.sleep(Duration.ofSeconds(1));
    return JobOutcome.done();
  }

  @Test
  void clocksThatAreWrongAndAStoreThatRestartsCostNoTickItsUniqueness() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .task(
                r ->
                    Task.named("each")
                        .every(Duration.ofMinutes(1))
                        .mode(HaMode.LEADER)
                        .run(c -> {}))
            .start()) {
      cluster.skewClock(0, Duration.ofHours(1), 0.5);
      cluster.skewClock(1, Duration.ofDays(-1), 1.9);
      cluster.advance(Duration.ofMinutes(10));
      cluster.restartStore(Duration.ofSeconds(30));
      cluster.advance(Duration.ofSeconds(20));
      cluster.partition(2);
      cluster.advance(Duration.ofMinutes(10));
      assertThat(cluster.runs()).extracting(run -> run.tick().nominal()).doesNotHaveDuplicates();
      assertThat(cluster.runs()).hasSizeGreaterThanOrEqualTo(19);
    }
  }

  @Test
  void clockRateThatCannotBeIsRefused() {
    try (SimulatedCluster cluster = SimulatedCluster.builder().start()) {
      assertThatThrownBy(() -> cluster.skewClock(0, Duration.ZERO, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rate must be above 0");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HaMode.class,
      names = {"LEADER", "ONE_REPLICA"})
  void yearOfDailyTicksOverHundredLeaderChangesRunsEachOnce(HaMode mode) {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(3)
            .leaseTiming(HOURS)
            .task(r -> Task.named("daily").every(Duration.ofDays(1)).mode(mode).run(c -> {}))
            .task(
                r -> Task.named("lead").every(Duration.ofDays(30)).mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      int changes = 0;
      for (int day = 0; day < 365; day++) {
        cluster.advance(Duration.ofHours(5));
        if (day % 3 == 0) {
          int leader = cluster.leader("default").orElseThrow();
          cluster.crash(leader);
          cluster.advance(Duration.ofHours(8));
          assertThat(cluster.leader("default")).isPresent().isNotEqualTo(leader);
          cluster.restart(leader);
          changes++;
          cluster.advance(Duration.ofHours(11));
        } else {
          cluster.advance(Duration.ofHours(19));
        }
      }
      List<Instant> expected =
          IntStream.rangeClosed(1, 365)
              .mapToObj(day -> FakeTime.START.plus(Duration.ofDays(day)))
              .toList();
      assertThat(changes).isGreaterThanOrEqualTo(100);
      assertThat(
              cluster.runs().stream()
                  .filter(run -> run.tick().task().equals("daily"))
                  .map(run -> run.tick().nominal()))
          .containsExactlyElementsOf(expected);
    }
  }
}
