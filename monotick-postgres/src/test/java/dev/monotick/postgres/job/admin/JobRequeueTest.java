package dev.monotick.postgres.job.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.job.ManualJobs;
import dev.monotick.postgres.job.row.JobFlags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bringing jobs back that ended, and forgetting them. */
@Tag("thorough")
final class JobRequeueTest {

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
  void aDeadLetterRunsAgainWithAllItsAttemptsBeforeIt() {
    JobId id = fixture.dead(fixture.job(lane), lane);
    assertThat(control.requeue(List.of(id), "ann")).containsExactly(id);
    assertThat(fixture.places(id)).containsExactly("ready " + -lane + " 2 0 0");
    assertThat(fixture.attempts(id)).containsExactly("1 1 DIED why", "2 1 REQUEUED ann");
    assertThat(fixture.counts()).isEqualTo("0|1|0|0|0|0|0");
    assertThat(fixture.woken).containsExactly("mail");
    assertThat(control.requeue(List.of(id), "ann")).isEmpty();
  }

  @Test
  void whateverEndedOtherwiseThanWellIsRequeuedAndNothingElse() {
    List<JobId> bad = new ArrayList<>();
    for (Outcome outcome :
        List.of(
            Outcome.DISCARDED,
            Outcome.LOST,
            Outcome.CANCELLED,
            Outcome.REJECTED,
            Outcome.EXPIRED)) {
      bad.add(fixture.attempt(fixture.job(lane), 1, outcome));
    }
    List<JobId> all = new ArrayList<>(bad);
    all.add(fixture.attempt(fixture.job(lane), 1, Outcome.SUCCEEDED));
    all.add(fixture.attempt(fixture.ready(lane), 1, Outcome.RESCUED));
    all.add(fixture.attempt(fixture.job(lane), 1, Outcome.DIED)); // purged, as it is no dead letter
    all.add(new JobId(77));
    Collections.reverse(all);
    assertThat(control.requeue(all, "ann")).isEqualTo(bad);
    assertThat(fixture.number("select count(*) from @job_ready")).isEqualTo(6);
  }

  @Test
  void aJobThatNeedsApprovalNeedsItAgain() {
    JobId id =
        fixture.attempt(
            fixture.job(
                lane, "approval_millis, deadline", "60000, timestamptz '2040-01-01 00:00Z'"),
            1,
            Outcome.REJECTED);
    assertThat(control.requeue(List.of(id), "ann")).containsExactly(id);
    assertThat(fixture.places(id))
        .containsExactly("gate 2 0 " + (JobFlags.GATED | JobFlags.EXPIRES));
    assertThat(
            fixture.query(
                "select id, at = '2040-01-01 00:00Z' or at between now() and now() + interval '60 s'"
                    + " from @job_expiry"))
        .containsExactly(id + "|t", id + "|t");
    assertThat(fixture.counts()).isEqualTo("1|0|0|0|0|0|0");
    assertThat(control.approve(id, "bob", "now it is fine")).isTrue();
    assertThat(fixture.counts()).isEqualTo("0|1|0|0|0|0|0");
  }

  @Test
  void theUniqueKeyIsTakenAgainOrTheJobStaysAsItIs() {
    JobId first = cancelled("unique_key", "'k'");
    JobId second = cancelled("unique_key", "'k'");
    JobId other = cancelled("unique_key", "'l'");
    assertThat(control.requeue(List.of(first, second, other), "ann")).containsExactly(first, other);
    assertThat(fixture.places(first)).containsExactly("ready " + -lane + " 2 0 " + JobFlags.UNIQUE);
    assertThat(fixture.places(second)).isEmpty();
    assertThat(fixture.attempts(second)).hasSize(1);
    assertThat(control.requeue(List.of(second), "ann")).isEmpty();
    assertThat(
            fixture.query(
                "select job_id from @job_unique where hash = @job_key('letter', '', 'k')"))
        .containsExactly(first.toString());
  }

  @Test
  void aWindowThatIsOverIsOverForARequeuedJobToo() {
    JobId id = cancelled("unique_key, unique_millis", "'k', 1");
    JobId within = cancelled("unique_key, unique_millis", "'l', 3600000");
    fixture.execute(
        "insert into @job_unique values (@job_key('letter', '', 'k'), 5, null),"
            + " (@job_key('letter', '', 'l'), %s, now() + interval '1 hour')".formatted(within));
    fixture.execute("update @job set created_at = created_at - interval '1 s' where id = " + id);
    assertThat(control.requeue(List.of(id, within), "ann")).containsExactly(id, within);
    assertThat(fixture.places(id)).containsExactly("ready " + -lane + " 2 0 0");
    assertThat(fixture.places(within))
        .containsExactly("ready " + -lane + " 2 0 " + JobFlags.UNIQUE);
    assertThat(fixture.query("select job_id from @job_unique order by 1"))
        .containsExactly("5", within.toString());
  }

  @Test
  void whoeverRequeuesFirstDoes() throws Exception {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ids.add(fixture.dead(fixture.job(lane), lane));
    }
    List<JobId> reversed = new ArrayList<>(ids);
    Collections.reverse(reversed);
    List<Callable<List<JobId>>> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      calls.add(() -> control.requeue(ids, "ann"));
      calls.add(() -> control.purge(reversed));
    }
    ExecutorService threads = Executors.newFixedThreadPool(calls.size());
    List<JobId> done = new ArrayList<>();
    try {
      for (Future<List<JobId>> call : threads.invokeAll(calls)) {
        done.addAll(call.get());
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(done).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(fixture.number("select count(*) from @job_dead")).isZero();
    assertThat(fixture.number("select count(*) from @job_ready"))
        .isEqualTo(fixture.number("select count(*) from @job"));
  }

  @Test
  void aPurgedDeadLetterIsForgottenAndItsKeyFree() {
    JobId id = fixture.dead(fixture.job(lane, "unique_key, unique_millis", "'k', 3600000"), lane);
    fixture.execute(
        "insert into @job_unique values (@job_key('letter', '', 'k'), %s, now() + interval '1 h')"
            .formatted(id));
    fixture.execute(
        "insert into @job_log (job_id, at, text) values (%s, now(), 'x')".formatted(id));
    JobId cancelled = cancelled("", "");
    assertThat(control.purge(List.of(cancelled, id))).containsExactly(id);
    assertThat(fixture.reader.find(id)).isEmpty();
    assertThat(fixture.reader.log(id, 10)).isEmpty();
    assertThat(fixture.attempts(id)).isEmpty();
    assertThat(fixture.number("select count(*) from @job_unique")).isZero();
    assertThat(fixture.counts()).isEqualTo("0|0|0|0|0|0|0");
    assertThat(fixture.reader.find(cancelled)).isPresent();
    assertThat(control.requeue(List.of(id), "ann")).isEmpty();
  }

  @Test
  void tooManyAtOnceAreRefused() {
    List<JobId> many = Collections.nCopies(10_001, new JobId(1));
    assertThatThrownBy(() -> control.requeue(many, "ann"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ids must be at most 10000, but were 10001");
    assertThat(control.purge(List.of())).isEmpty();
    assertThat(control.requeue(List.of(), "ann")).isEmpty();
  }

  private JobId cancelled(String columns, String values) {
    return fixture.attempt(fixture.job(lane, columns, values), 1, Outcome.CANCELLED);
  }
}
