package dev.monotick.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobStore;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaId;
import dev.monotick.thread.EngineThreads;
import dev.monotick.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobSlotsTest {

  /** Else a stop could see that no job is here before it can see the end, and leave without it. */
  @Test
  void endIsThereBeforeThePlaceIsFree() {
    List<String> heard = new ArrayList<>();
    JobSlots[] slots = new JobSlots[1];
    JobStore store = InMemoryStore.create().jobs();
    slots[0] =
        new JobSlots(
            new WorkerContext(
                ReplicaId.random(), "a", threadsThatStartNothing(), TimeSource.system(), store),
            new JobHandlers(),
            new Payloads(null),
            1,
            new JobSlots.Owner() {
              @Override
              public void finished(JobFinish finish, @Nullable RunningJob<?> job) {
                heard.add("finished, here " + slots[0].inHand());
              }

              @Override
              public void freed() {
                heard.add("freed, here " + slots[0].inHand());
              }

              @Override
              public boolean mayRun() {
                return true;
              }
            });
    slots[0].add(List.of(TurnsTest.aJob(1)));
    slots[0].giveBack(Duration.ZERO);
    assertThat(heard).containsExactly("finished, here 1", "freed, here 0");
  }

  private static EngineThreads threadsThatStartNothing() {
    EngineThreads.Body body = () -> {};
    return (EngineThreads)
        Proxy.newProxyInstance(
            EngineThreads.class.getClassLoader(),
            new Class<?>[] {EngineThreads.class},
            (proxy, method, arguments) -> body);
  }
}
