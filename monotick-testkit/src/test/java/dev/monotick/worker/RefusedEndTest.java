package dev.monotick.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.leader.LeaderElection;
import dev.monotick.ledger.Ledger;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.Store;
import dev.monotick.testkit.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An end that the store cannot record must not hold up the ends that came with it. */
class RefusedEndTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();

  /** A store that does not like successes of jobs whose payload is "bad". */
  private record Picky(Store store) implements Store {

    @Override
    public Ledger ledger() {
      return store.ledger();
    }

    @Override
    public ReplicaRegistry replicas() {
      return store.replicas();
    }

    @Override
    public LeaderElection leaders() {
      return store.leaders();
    }

    @Override
    public JobStore jobs() {
      JobStore jobs = store.jobs();
      return (JobStore)
          Proxy.newProxyInstance(
              JobStore.class.getClassLoader(),
              new Class<?>[] {JobStore.class},
              (proxy, method, arguments) -> {
                if (arguments != null && arguments[0] instanceof JobTurn turn) {
                  turn.finishes().forEach(Picky::refuse);
                }
                try {
                  return method.invoke(jobs, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    private static void refuse(JobFinish finish) {
      if (Arrays.equals(finish.job().payload(), "bad".getBytes(StandardCharsets.UTF_8))
          && finish.end() instanceof JobFinish.Succeeded) {
        throw new IllegalArgumentException("not this one");
      }
    }
  }

  @Test
  void othersAreRecordedAndTheRefusedOneIsADeadLetter() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    List<JobId> good = ids(jobs, "a", "b");
    JobId bad = ids(jobs, "bad").iterator().next();
    List<JobId> after = ids(jobs, "c", "d");
    engine.start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(good).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(after).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(state(jobs, bad)).isEqualTo(JobState.DEAD);
    engine.close();
  }

  @Test
  void stopWaitsUntilTheOthersAreRecorded() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    List<JobId> all = ids(jobs, "a", "bad", "b");
    engine.start();
    scheduler.advance(Duration.ofMillis(10)); // refused by now, and not sent alone yet
    assertThat(all).allMatch(id -> state(jobs, id) == JobState.RUNNING);
    assertThat(engine.stop(Duration.ofSeconds(5)).isClean()).isTrue();
    assertThat(all.stream().map(id -> state(jobs, id)))
        .containsExactly(JobState.SUCCEEDED, JobState.DEAD, JobState.SUCCEEDED);
  }

  private Monotick engine() {
    return Monotick.builder()
        .store(new Picky(store))
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads())
        .handler(KIND, job -> JobOutcome.done())
        .build();
  }

  private static List<JobId> ids(Jobs jobs, String... payloads) {
    return Arrays.stream(payloads)
        .map(payload -> jobs.enqueue(List.of(KIND.of(payload))))
        .flatMap(Collection::stream)
        .map(added -> added.id())
        .toList();
  }

  private static JobState state(Jobs jobs, JobId id) {
    return jobs.find(id).orElseThrow().state();
  }
}
