package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobStart;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is told of new jobs, and of jobs that others ended. */
@Tag("thorough")
@Timeout(60)
final class WakeTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void newJobsAreToldInThisProcessAtOnceAndInOthersByNotice() throws InterruptedException {
    BlockingQueue<Set<String>> here = new LinkedBlockingQueue<>();
    BlockingQueue<Set<String>> there = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    fixture.jobs.whenReady(here::add);
    other.whenReady(there::add);
    while (!there.contains(Set.of("mail"))) { // the other may not listen yet
      fixture.jobs.enqueue(JobOrder.of(List.of(draft("a"))));
      assertThat(here).contains(Set.of("mail")); // and that some may have been missed before
      here.clear();
      Set<String> heard = there.poll(1, TimeUnit.SECONDS);
      if (heard != null && heard.equals(Set.of("mail"))) {
        return;
      }
    }
  }

  /** The first is told by its own commit, whatever kind of job it is; the others follow. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachQueueOfABurstIsTold(boolean delayedFirst) throws InterruptedException {
    BlockingQueue<Set<String>> there = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    other.whenReady(there::add);
    do { // it may not listen yet
      fixture.jobs.enqueue(JobOrder.of(List.of(draft("a"))));
    } while (there.poll(1, TimeUnit.SECONDS) == null);
    JobStore sender = fixture.open(builder -> builder); // has told nobody anything before
    Set<String> queues = Set.of("q0", "q1", "q2", "q3", "q4");
    for (int i = 0; i < queues.size(); i++) {
      JobDraft plain = draft(new JobLane("q" + i, "work", "", 5), "a");
      JobDraft first = i == 0 && delayedFirst ? delayed(plain, Duration.ofHours(1)) : plain;
      sender.enqueue(JobOrder.of(List.of(first)));
    }
    Set<String> heard = new HashSet<>();
    while (!heard.containsAll(queues)) {
      Set<String> more = there.poll(20, TimeUnit.SECONDS);
      assertThat(more).as("after " + heard).isNotNull();
      heard.addAll(more);
    }
  }

  /** On the connection that heard of it, which goes on to hear. */
  @Test
  void whoeverHearsOfAJobCanClaimItAtOnce() throws InterruptedException {
    BlockingQueue<JobTurnReply> replies = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    other.whenReady(
        new ReadyListener() {
          @Override
          public void ready(Set<String> queues) {} // of this process, or maybe missed

          @Override
          public void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
            replies.add(store.apply(fixture.wanting(1)));
          }
        });
    JobTurnReply reply;
    do { // it may not listen yet
      fixture.jobs.enqueue(JobOrder.of(List.of(draft("a"))));
      reply = replies.poll(1, TimeUnit.SECONDS);
    } while (reply == null);
    assertThat(reply.jobs()).hasSize(1);
    fixture.jobs.enqueue(JobOrder.of(List.of(draft("b"))));
    JobTurnReply next = replies.poll(10, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    assertThat(next.jobs()).hasSize(1);
    assertThat(next.jobs().get(0).id()).isNotEqualTo(reply.jobs().get(0).id());
    assertThat(
            fixture.query(
                "select count(*) from pg_stat_activity where application_name like '%"
                    + fixture.database.schema()
                    + ".jobs jobs' and query like '%job_turn%'"))
        .containsExactly("1");
  }

  /** Without that it would be found at the next look, up to ten seconds late. */
  @Test
  void whoLookedJustNowHearsThatAJobIsDueEarlierThanHeKnows() throws InterruptedException {
    BlockingQueue<JobTurnReply> replies = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    other.whenReady(
        new ReadyListener() {
          @Override
          public void ready(Set<String> queues) {} // of this process, or maybe missed

          @Override
          public void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
            replies.add(store.apply(fixture.wanting(1)));
          }
        });
    JobTurnReply reply;
    do { // it may not listen yet
      fixture.jobs.enqueue(JobOrder.of(List.of(delayed(Duration.ofHours(2)))));
      reply = replies.poll(1, TimeUnit.SECONDS);
    } while (reply == null);
    for (int minutes = 100; minutes > 90; minutes--) { // each right after the one before
      Duration delay = Duration.ofMinutes(minutes);
      fixture.jobs.enqueue(JobOrder.of(List.of(delayed(delay))));
      do {
        reply = replies.poll(20, TimeUnit.SECONDS);
        assertThat(reply).as("told of " + delay).isNotNull();
      } while (reply.nextDue().orElseThrow().compareTo(delay) > 0);
    }
  }

  private static JobDraft delayed(Duration delay) {
    return delayed(draft("a"), delay);
  }

  private static JobDraft delayed(JobDraft plain, Duration delay) {
    return new JobDraft(
        plain.lane(),
        plain.version(),
        plain.payload(),
        new JobStart(delay, Optional.empty()),
        plain.rules(),
        plain.unique(),
        plain.limitKey(),
        plain.headers());
  }

  /** As whoever adds jobs in a transaction of his own does. */
  @Test
  void allQueuesAreToldOfHereAndInOthersByNotice() throws InterruptedException {
    BlockingQueue<Set<String>> here = new LinkedBlockingQueue<>();
    BlockingQueue<Set<String>> there = new LinkedBlockingQueue<>();
    fixture.jobs.whenReady(here::add);
    JobStore other = fixture.open(builder -> builder);
    other.whenReady(
        new ReadyListener() {
          @Override
          public void ready(Set<String> queues) {} // of this process, or maybe missed

          @Override
          public void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
            there.add(queues);
          }
        });
    do { // it may not listen yet
      fixture.jobs.enqueue(JobOrder.of(List.of(draft("a"))));
    } while (there.poll(1, TimeUnit.SECONDS) == null);
    here.clear();
    fixture.jobs.wake(Set.of());
    assertThat(here).contains(Set.of());
    Set<String> heard;
    do { // some of those before may be told once more
      heard = there.poll(20, TimeUnit.SECONDS);
    } while (Set.of("mail").equals(heard));
    assertThat(heard).isEmpty();
  }

  @Test
  void aJobThatIsCalledOffIsToldToWhoeverRunsIt() throws InterruptedException {
    BlockingQueue<Set<JobId>> told = new LinkedBlockingQueue<>();
    fixture.jobs.whenEnded(told::add);
    fixture.add(1);
    JobId id = fixture.claim(1).get(0).id();
    assertThat(fixture.jobs.cancel(id, "ann", "no")).isTrue();
    assertThat(told.poll(10, TimeUnit.SECONDS)).containsExactly(id);
  }
}
