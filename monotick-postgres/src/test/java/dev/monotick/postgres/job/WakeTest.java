package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
      assertThat(here.remove()).containsExactly("mail");
      Set<String> heard = there.poll(1, TimeUnit.SECONDS);
      if (heard != null && heard.equals(Set.of("mail"))) {
        return;
      }
    }
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
