package dev.monotick.postgres.job.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.job.ManualJobs;
import dev.monotick.postgres.job.row.JobFlags;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cancelling, approving, rejecting and rescheduling. */
@Tag("thorough")
final class JobControlTest {

  private ManualJobs fixture;
  private JobControl control;
  private int lane;

  @BeforeEach
  void prepare() {
    fixture = new ManualJobs(TestDatabase.NEWEST);
    control = fixture.control;
    lane = fixture.lane("mail", "letter", "");
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void aJobIsCancelledWhereverItWaits() {
    List<JobId> jobs =
        List.of(
            fixture.ready(lane),
            fixture.ready(fixture.job(lane), -lane, 0),
            fixture.blocked(fixture.job(lane), lane, 1, "k"),
            fixture.delayed(fixture.job(lane), lane, "now() + interval '1 hour'", false),
            fixture.gated(fixture.job(lane), lane, "null"),
            fixture.after(fixture.job(lane), lane, 1));
    for (JobId id : jobs) {
      assertThat(control.cancel(id, "ann", "not needed")).isTrue();
      assertThat(fixture.places(id)).isEmpty();
      assertThat(fixture.attempts(id)).containsExactly("1 1 CANCELLED ann: not needed");
      assertThat(control.cancel(id, "ann", "again")).isFalse();
    }
    assertThat(fixture.counts()).isEqualTo("0|0|0|0|0|0|6");
    assertThat(fixture.ended).isEmpty();
  }

  @Test
  void aRetryIsCancelledAsTheAttemptThatWouldHaveBeenNext() {
    JobId id = fixture.attempt(fixture.job(lane), 1, Outcome.RETRIED);
    fixture.delayed(id, lane, "now() + interval '1 hour'", true);
    assertThat(control.cancel(id, "ann", "")).isTrue();
    assertThat(fixture.attempts(id)).containsExactly("1 1 RETRIED why", "2 2 CANCELLED ann");
  }

  @Test
  void theRunOfARunningJobEndsAndItsReplicaIsTold() {
    UUID replica = fixture.replica("r1");
    JobId other = fixture.job(lane);
    JobId id = fixture.job(lane);
    fixture.claimed(replica, lane, other, id);
    fixture.execute(
        "insert into @job_run (job_id, run, replica, started_at) values (%s, 1, '%s', now() - interval '3 s')"
            .formatted(id, replica));
    assertThat(control.cancel(id, "ann", "stop")).isTrue();
    assertThat(fixture.ended).containsExactly(id);
    assertThat(fixture.attempts(id)).containsExactly("1 1 CANCELLED ann: stop");
    assertThat(
            fixture.query(
                "select replica::text, took_micros > 2000000 from @job_attempt where job_id = "
                    + id))
        .containsExactly(replica + "|t");
    assertThat(fixture.attempts(other)).isEmpty();
    assertThat(fixture.query("select job_id from @job_run")).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0|0|1|0|0|0|1");
    assertThat(control.cancel(id, "ann", "stop")).isFalse();
  }

  @Test
  void whatIsOverOrUnknownIsNotCancelled() {
    JobId done = fixture.attempt(fixture.job(lane), 1, Outcome.SUCCEEDED);
    JobId dead = fixture.dead(fixture.job(lane), lane);
    for (JobId id : List.of(done, dead, new JobId(77))) {
      List<String> before = fixture.attempts(id);
      assertThat(control.cancel(id, "ann", "late")).isFalse();
      assertThat(fixture.attempts(id)).isEqualTo(before);
    }
  }

  @Test
  void anApprovedJobIsReadyOrWaitsForItsTime() {
    JobId now = fixture.gated(fixture.job(lane), lane, "null");
    JobId past = fixture.gated(fixture.job(lane), lane, "now() - interval '1 hour'");
    JobId later = fixture.gated(fixture.job(lane), lane, "now() + interval '1 hour'");
    for (JobId id : List.of(now, past, later)) {
      assertThat(control.approve(id, "ann", "fine")).isTrue();
      assertThat(control.approve(id, "bob", "me too")).isFalse();
      assertThat(fixture.reader.log(id, 10))
          .singleElement()
          .satisfies(line -> assertThat(line.text()).isEqualTo("approved by ann: fine"));
    }
    String ready = "ready " + -lane + " 0 0 " + (JobFlags.GATED | JobFlags.EXPIRES);
    assertThat(fixture.places(now)).containsExactly(ready);
    assertThat(fixture.places(past)).containsExactly(ready);
    assertThat(fixture.places(later)).containsExactly("delayed false");
    assertThat(fixture.counts()).isEqualTo("1|2|0|0|0|0|0");
    assertThat(fixture.woken).containsOnly("mail");
  }

  @Test
  void aRejectedJobEnds() {
    JobId id = fixture.gated(fixture.job(lane), lane, "null");
    assertThat(control.reject(id, "ann", "too risky")).isTrue();
    assertThat(control.reject(id, "ann", "too risky")).isFalse();
    assertThat(control.approve(id, "bob", "")).isFalse();
    assertThat(fixture.attempts(id)).containsExactly("1 1 REJECTED ann: too risky");
    assertThat(fixture.counts()).isEqualTo("0|0|0|0|0|0|1");
  }

  @Test
  void onlyWhatAwaitsApprovalIsApprovedOrRejected() {
    JobId id = fixture.ready(lane);
    assertThat(control.approve(id, "ann", "")).isFalse();
    assertThat(control.reject(id, "ann", "")).isFalse();
    assertThat(fixture.places(id)).hasSize(1);
  }

  @Test
  void aJobThatWaitsForItsTimeGetsAnotherOne() {
    Instant at = Instant.parse("2040-01-02T03:04:05.000006Z");
    JobId delayed = fixture.delayed(fixture.job(lane), lane, "now() + interval '1 hour'", false);
    JobId retrying = fixture.delayed(fixture.job(lane), lane, "now() + interval '1 hour'", true);
    JobId after = fixture.after(fixture.job(lane), lane, 1);
    for (JobId id : List.of(delayed, retrying, after)) {
      assertThat(control.reschedule(id, at)).isTrue();
      assertThat(fixture.reader.find(id).orElseThrow().dueAt()).contains(at);
    }
    assertThat(fixture.places(retrying)).containsExactly("delayed true");
    assertThat(fixture.woken).containsExactly("mail", "mail", "mail");
    for (JobId id :
        List.of(
            fixture.ready(lane),
            fixture.gated(fixture.job(lane), lane, "null"),
            fixture.dead(fixture.job(lane), lane))) {
      assertThat(control.reschedule(id, at)).isFalse();
    }
  }
}
