package dev.monotick.postgres.job.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.job.ManualJobs;
import dev.monotick.postgres.schema.JobCountFolder;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
final class JobReaderTest {

  private ManualJobs fixture;
  private JobReader reader;
  private int lane;

  @BeforeEach
  void prepare() {
    fixture = new ManualJobs(TestDatabase.NEWEST);
    reader = fixture.reader;
    lane = fixture.lane("mail", "letter", "acme");
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void aJobIsShownAsItWasAdded() {
    JobId parent = fixture.job(lane);
    JobId id =
        fixture.ready(
            fixture.job(
                lane,
                "parent_id, approval_millis, deadline, unique_key, limit_key, headers",
                parent
                    + ", 5000, timestamptz '2040-01-01 00:00Z', 'once', 'host-1',"
                    + " array['trace', 'abc', 'by', 'me']"),
            lane,
            0);
    Job job = reader.find(id).orElseThrow();
    assertThat(job.id()).isEqualTo(id);
    assertThat(job.lane()).isEqualTo(new Lane("mail", "letter", "acme", 5));
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.payload()).asString().isEqualTo("hello");
    assertThat(job.rules().maxAttempts()).isEqualTo(3);
    assertThat(job.rules().timeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(job.rules().effect()).isEqualTo(Effect.AT_LEAST_ONCE);
    assertThat(job.rules().deadline()).contains(Instant.parse("2040-01-01T00:00:00Z"));
    assertThat(job.rules().approval()).contains(Duration.ofSeconds(5));
    assertThat(job.uniqueKey()).contains("once");
    assertThat(job.limitKey()).contains("host-1");
    assertThat(job.parent()).contains(parent);
    assertThat(job.headers()).isEqualTo(Map.of("trace", "abc", "by", "me"));
    assertThat(job.attempts()).isEmpty();
    assertThat(job.run()).isEmpty();
    assertThat(job.result()).isEmpty();
    assertThat(reader.find(new JobId(77))).isEmpty();
    assertThat(reader.find(parent)).as("what is nowhere is forgotten").isEmpty();
  }

  @Test
  void aRunningJobShowsItsReplicaAndProgress() {
    UUID replica = fixture.replica("host-a");
    JobId id = fixture.job(lane);
    JobId quiet = fixture.job(lane);
    JobId orphan = fixture.job(lane);
    fixture.claimed(replica, lane, id, quiet);
    UUID unknown = UUID.randomUUID();
    fixture.claimed(unknown, lane, orphan);
    fixture.execute(
        "insert into @job_run (job_id, run, replica, started_at, progress, doing) values (%s, 1, '%s', now(), 0.25, 'folding')"
            .formatted(id, replica));
    Job job = reader.find(id).orElseThrow();
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(job.run())
        .hasValueSatisfying(
            run -> {
              assertThat(run.number()).isEqualTo(1);
              assertThat(run.replica()).isEqualTo("host-a");
              assertThat(run.startedAt()).isPresent();
              assertThat(run.progress()).contains(0.25);
              assertThat(run.doing()).contains("folding");
            });
    assertThat(reader.find(quiet).orElseThrow().run())
        .hasValueSatisfying(run -> assertThat(run.progress()).isEmpty());
    assertThat(reader.find(orphan).orElseThrow().run())
        .hasValueSatisfying(run -> assertThat(run.replica()).isEqualTo(unknown.toString()));
    fixture.attempt(quiet, 1, Outcome.CANCELLED);
    assertThat(reader.find(quiet).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void attemptsAreShownOldestFirstAndTheResultWithThem() {
    UUID replica = fixture.replica("host-a");
    JobId id = fixture.attempt(fixture.job(lane), 1, Outcome.RETRIED);
    fixture.execute(
        "insert into @job_attempt (job_id, ended_at, started_at, took_micros, replica, run, attempt, outcome, result)"
            + " values (%s, now(), now(), 1500, '%s', 2, 2, 0, 'bye')".formatted(id, replica));
    Job job = reader.find(id).orElseThrow();
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.payload()).asString().isEqualTo("hello");
    assertThat(job.result())
        .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("bye"));
    assertThat(job.attempts()).extracting(Job.Attempt::run).containsExactly(1, 2);
    assertThat(job.attempts().get(0).detail()).contains("why");
    assertThat(job.attempts().get(0).replica()).isEmpty();
    assertThat(job.attempts().get(1).replica()).contains("host-a");
    assertThat(job.attempts().get(1).took()).isEqualTo(Duration.ofNanos(1_500_000));
    assertThat(job.attempts().get(1).startedAt()).isPresent();
  }

  @Test
  void jobsAreListedByStateYoungestFirst() {
    Map<JobState, List<JobId>> all = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      List<JobId> ids = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        ids.add(0, in(state, i));
      }
      all.put(state, ids);
    }
    all.forEach(
        (state, ids) -> {
          assertThat(reader.list(JobFilter.in(state), 100))
              .as(state.name())
              .allSatisfy(job -> assertThat(job.state()).isEqualTo(state))
              .extracting(Job::id)
              .isEqualTo(ids);
          assertThat(reader.list(JobFilter.in(state), 2))
              .extracting(Job::id)
              .isEqualTo(ids.subList(0, 2));
          assertThat(
                  reader.list(
                      new JobFilter(
                          Optional.of(state),
                          Optional.of("mail"),
                          Optional.of("letter"),
                          Optional.of("acme"),
                          Optional.of(ids.get(1))),
                      2))
              .extracting(Job::id)
              .isEqualTo(ids.subList(2, 4));
          assertThat(reader.list(of(Optional.of(state), "other"), 100)).isEmpty();
          ids.forEach(id -> assertThat(reader.find(id).orElseThrow().state()).isEqualTo(state));
        });
    assertThat(reader.list(of(Optional.empty(), "mail"), 100))
        .hasSize(55)
        .isSortedAccordingTo((a, b) -> b.id().compareTo(a.id()))
        .allSatisfy(job -> assertThat(job.payload()).isEmpty());
    JobFilter any =
        new JobFilter(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    assertThat(reader.list(any, 7)).hasSize(7);
  }

  private static JobFilter of(Optional<JobState> state, String queue) {
    return new JobFilter(
        state, Optional.of(queue), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Makes a job in a state, in one of the places that mean it. */
  private JobId in(JobState state, int which) {
    JobId id = fixture.job(lane);
    boolean even = which % 2 == 0;
    switch (state) {
      case SCHEDULED -> {
        if (even) {
          fixture.after(id, lane, 1);
        } else {
          fixture.delayed(id, lane, "now()", false);
        }
      }
      case AWAITING_APPROVAL -> fixture.gated(id, lane, "null");
      case READY -> {
        if (which == 4) {
          fixture.blocked(id, lane, 1, "k");
        } else {
          fixture.ready(id, even ? lane : -lane, 0);
        }
      }
      case RUNNING -> fixture.claimed(UUID.randomUUID(), lane, id);
      case RETRYING -> {
        fixture.attempt(id, 1, Outcome.RETRIED);
        fixture.delayed(id, lane, "now()", true);
      }
      case SUCCEEDED -> fixture.attempt(id, 1, Outcome.SUCCEEDED);
      case DEAD -> fixture.dead(id, lane);
      case CANCELLED -> fixture.attempt(id, 1, even ? Outcome.CANCELLED : Outcome.DISCARDED);
      case REJECTED -> fixture.attempt(id, 1, Outcome.REJECTED);
      case EXPIRED -> {
        fixture.attempt(id, 1, Outcome.CANCELLED);
        fixture.attempt(id, 2, Outcome.REQUEUED);
        fixture.attempt(id, 3, Outcome.EXPIRED);
      }
      case UNKNOWN -> fixture.attempt(id, 1, Outcome.LOST);
    }
    return id;
  }

  @Test
  void fewAmongManyAreFoundStepByStep() {
    int rare = fixture.lane("rare", "letter", "");
    JobId oldest = fixture.attempt(fixture.job(rare), 1, Outcome.SUCCEEDED);
    fixture.execute(
        "insert into @job (id, timeout_millis, lane, version, max_attempts, effect, payload)"
            + " select (@job_first_id(clock_timestamp()) | 4194303) + n, 1000, %d, 1, 1, 0, ''"
                .formatted(lane)
            + " from generate_series(1, 45000) n");
    fixture.execute(
        "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
            + " select id, now(), 0, 1, 1, 0 from @job where lane = "
            + lane);
    assertThat(reader.list(of(Optional.of(JobState.SUCCEEDED), "rare"), 10))
        .extracting(Job::id)
        .containsExactly(oldest);
    assertThat(reader.list(of(Optional.empty(), "rare"), 10))
        .extracting(Job::id)
        .containsExactly(oldest);
    assertThat(reader.list(of(Optional.of(JobState.SUCCEEDED), "mail"), 5)).hasSize(5);
  }

  @Test
  void linesAreShownOldestFirst() {
    JobId id = fixture.job(lane);
    for (int i = 1; i <= 5; i++) {
      fixture.execute(
          "insert into @job_log (job_id, at, text) values (%s, now(), 'line %d')".formatted(id, i));
    }
    assertThat(reader.log(id, 3))
        .extracting(Job.LogLine::text)
        .containsExactly("line 1", "line 2", "line 3");
    assertThat(reader.log(id, 100)).hasSize(5);
  }

  @Test
  void countsAreSumsAndWhatWasNotAddedYet() {
    int other = fixture.lane("mail", "card", "");
    fixture.ready(lane);
    fixture.ready(lane);
    fixture.dead(fixture.job(other), other);
    List<JobCount> expected =
        List.of(
            new JobCount(new Lane("mail", "card", "", 5), 0, 0, 0, 0, 0, 1, 0),
            new JobCount(new Lane("mail", "letter", "acme", 5), 0, 2, 0, 0, 0, 0, 0));
    assertThat(reader.counts()).isEqualTo(expected);
    JobCountFolder sums = new JobCountFolder(fixture.database);
    assertThat(sums.run()).isEqualTo(3);
    assertThat(sums.run()).isZero();
    assertThat(reader.counts()).isEqualTo(expected);
    fixture.ready(lane);
    assertThat(reader.counts().get(1).ready()).isEqualTo(3);
    assertThat(sums.run()).isEqualTo(1);
    assertThat(reader.counts().get(1).ready()).isEqualTo(3);
    assertThat(fixture.number("select count(*) from @job_count_delta")).isZero();
  }

  @Test
  void limitsThatCannotBeAreRefused() {
    assertThatThrownBy(() -> reader.list(JobFilter.in(JobState.READY), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit must be between 1 and 10000, but was 0");
    assertThatThrownBy(() -> reader.log(new JobId(1), 10_001))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
