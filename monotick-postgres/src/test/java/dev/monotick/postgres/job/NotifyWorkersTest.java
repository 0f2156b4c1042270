package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.testkit.contract.StoreExchange;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is told of new jobs, and of jobs that others ended. */
@Tag("thorough")
@Timeout(60)
final class NotifyWorkersTest {

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
    fixture.jobs.onReady(here::add);
    other.onReady(there::add);
    while (!there.contains(Set.of("mail"))) { // the other may not listen yet
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("a"))));
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
    other.onReady(there::add);
    do { // it may not listen yet
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("a"))));
    } while (there.poll(1, TimeUnit.SECONDS) == null);
    JobStore sender = fixture.open(builder -> builder); // has told nobody anything before
    Set<String> queues = Set.of("q0", "q1", "q2", "q3", "q4");
    for (int i = 0; i < queues.size(); i++) {
      JobDraft plain = draft(new Lane("q" + i, "work", "", 5), "a");
      JobDraft first = i == 0 && delayedFirst ? delayed(plain, Duration.ofHours(1)) : plain;
      sender.enqueue(EnqueueRequest.of(List.of(first)));
    }
    Set<String> heard = new HashSet<>();
    while (!heard.containsAll(queues)) {
      Set<String> more = there.poll(20, TimeUnit.SECONDS);
      assertThat(more).as("after " + heard).isNotNull();
      heard.addAll(more);
    }
  }

  @Test
  void whoeverHearsOfAJobCanClaimItAtOnce() throws InterruptedException {
    BlockingQueue<StoreExchange.Reply> replies = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    other.onReady(queues -> replies.add(fixture.wanting(1).with(other)));
    StoreExchange.Reply reply;
    do { // it may not listen yet
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("a"))));
      reply = replies.poll(1, TimeUnit.SECONDS);
    } while (reply == null || reply.jobs().isEmpty());
    assertThat(reply.jobs()).hasSize(1);
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("b"))));
    StoreExchange.Reply next;
    do { // it may be told of the first once more
      next = replies.poll(10, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
    } while (next.jobs().isEmpty());
    assertThat(next.jobs()).hasSize(1);
    assertThat(next.jobs().get(0).id()).isNotEqualTo(reply.jobs().get(0).id());
  }

  /** Without that it would be found at the next look, up to ten seconds late. */
  @Test
  void whoLookedJustNowHearsThatAJobIsDueEarlierThanHeKnows() throws InterruptedException {
    BlockingQueue<StoreExchange.Reply> replies = new LinkedBlockingQueue<>();
    JobStore other = fixture.open(builder -> builder);
    other.onReady(queues -> replies.add(fixture.wanting(1).with(other)));
    StoreExchange.Reply reply;
    do { // it may not listen yet
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(delayed(Duration.ofHours(2)))));
      reply = replies.poll(1, TimeUnit.SECONDS);
    } while (reply == null);
    for (int minutes = 100; minutes > 90; minutes--) { // each right after the one before
      Duration delay = Duration.ofMinutes(minutes);
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(delayed(delay))));
      do {
        reply = replies.poll(20, TimeUnit.SECONDS);
        assertThat(reply).as("told of " + delay).isNotNull();
      } while (reply.nextDue().map(due -> due.compareTo(delay) > 0).orElse(true));
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
    fixture.jobs.onReady(here::add);
    JobStore other = fixture.open(builder -> builder);
    other.onReady(there::add);
    do { // it may not listen yet
      fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft("a"))));
    } while (!Set.of("mail").equals(there.poll(1, TimeUnit.SECONDS)));
    here.clear();
    fixture.jobs.notifyWorkers(Set.of());
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
    fixture.jobs.onEnded(told::add);
    fixture.add(1);
    JobId id = fixture.claim(1).get(0).id();
    assertThat(fixture.jobs.cancel(id, "ann", "no")).isTrue();
    assertThat(told.poll(10, TimeUnit.SECONDS)).containsExactly(id);
  }
}
