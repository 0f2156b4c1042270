package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.engine.client.Payloads;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.testkit.fault.FaultyStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobSlotsTest {

  /** Else a stop could see that no job is here before it can see the end, and leave without it. */
  @Test
  void endIsThereBeforeThePlaceIsFree() {
    List<String> heard = new ArrayList<>();
    JobSlots[] slots = new JobSlots[1];
    JobStore store = InMemoryStore.create().jobs();
    slots[0] =
        new JobSlots(
            new JobWorkerContext(
                MemberId.random(), "a", threadsThatStartNothing(), TimeSource.system(), store),
            new JobHandlers(),
            new Payloads(null),
            1,
            new JobSlots.Owner() {
              @Override
              public void finished(Completion finish, @Nullable RunningJob<?> job) {
                heard.add("finished, here " + slots[0].inHand());
              }

              @Override
              public void freed() {
                heard.add("freed, here " + slots[0].inHand());
              }

              @Override
              public boolean mayRun(MemberId owner) {
                return true;
              }

              @Override
              public void abandoned(int handlers) {}
            });
    slots[0].add(List.of(JobFetcherTest.aJob(1)));
    slots[0].giveBack(Duration.ZERO);
    assertThat(heard).containsExactly("finished, here 1", "freed, here 0");
  }

  /** It began on another thread, and whoever asked all to stop on the loop did not know of it. */
  @Test
  @Timeout(30)
  void whatBeganElsewhereWhileAllWereAskedToStopIsAskedToo() throws InterruptedException {
    assertThat(begunElsewhere(JobSlots::stopAll)).isEqualTo(JobCancelReason.STOPPING);
  }

  @Test
  @Timeout(30)
  void whatBeganElsewhereWhileMembershipWasLostIsStopped() throws InterruptedException {
    assertThat(
            begunElsewhere(
                slots -> {
                  mayRun = false;
                  slots.stop(job -> true, JobCancelReason.MEMBERSHIP_LOST);
                }))
        .isEqualTo(JobCancelReason.MEMBERSHIP_LOST);
  }

  @Test
  void whatHasNotBegunWhenAllAreAskedToStopIsHandedBack() {
    Queue<Runnable> loop = new ConcurrentLinkedQueue<>();
    List<Runnable> bodies = new ArrayList<>();
    List<Completion> ends = new ArrayList<>();
    JobHandlers handlers = new JobHandlers();
    handlers.add(
        JobKind.named("kind", byte[].class),
        job -> {
          throw new AssertionError("it must not begin");
        });
    JobSlots slots =
        slots(
            threads(
                loop,
                body -> {
                  bodies.add(body);
                  return () -> {};
                }),
            handlers,
            (finish, job) -> ends.add(finish));
    assertThat(slots.tryBegin(List.of(JobFetcherTest.aJob(1)))).isTrue();
    runAll(loop);
    slots.stopAll();
    bodies.forEach(Runnable::run);
    assertThat(ends).extracting(Completion::result).containsExactly(new Completion.HandedBack());
    assertThat(slots.inHand()).isZero();
  }

  /** Else it could take one replica after the other along, and nobody would know which job did. */
  @Test
  void jobThatWasLostBeforeDoesNotBeginUnlessItsStartIsOnRecord() {
    FaultyStore link = FaultyStore.to(InMemoryStore.create());
    link.cut();
    assertThat(endOfAJobThatWasLost(link.jobs()))
        .isEqualTo(new Completion.Snoozed(Duration.ofSeconds(1)));
  }

  @Test
  void jobThatWasLostBeforeAndIsNoLongerOursDoesNotBegin() {
    assertThat(endOfAJobThatWasLost(InMemoryStore.create().jobs()))
        .isEqualTo(new Completion.HandedBack());
  }

  private Completion.End endOfAJobThatWasLost(JobStore store) {
    List<Completion> ends = new ArrayList<>();
    JobHandlers handlers = new JobHandlers();
    handlers.add(
        JobKind.named("kind", byte[].class),
        job -> {
          throw new AssertionError("it must not begin");
        });
    EngineThreads threads =
        threads(
            new ConcurrentLinkedQueue<>(),
            body -> {
              body.run();
              return () -> {};
            });
    slots(threads, store, handlers, (finish, job) -> ends.add(finish))
        .add(List.of(JobFetcherTest.aJobThatWasLost(1)));
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0).startedAt()).isNull();
    return ends.get(0).result();
  }

  /** Whoever comes while starts are being noted goes with the others, in one call. */
  @Test
  @Timeout(30)
  void startsThatComeTogetherAreNotedTogether() throws InterruptedException {
    CountDownLatch firstIsNoted = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<Integer> calls = new CopyOnWriteArrayList<>();
    JobStore slow =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("now")) {
                    return Instant.EPOCH;
                  }
                  calls.add(((List<?>) arguments[1]).size());
                  firstIsNoted.countDown();
                  mayGoOn.await();
                  return new HashSet<>((List<?>) arguments[1]);
                });
    RunStarts starts =
        new RunStarts(
            new JobWorkerContext(
                MemberId.random(), "a", threadsThatStartNothing(), TimeSource.system(), slow));
    List<Thread> threads = new ArrayList<>();
    AtomicInteger begun = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      int number = i + 1;
      Thread thread =
          new Thread(
              () -> {
                if (starts.refusal(JobFetcherTest.aJobThatWasLost(number)) == null) {
                  begun.incrementAndGet();
                }
              });
      threads.add(thread);
      thread.start();
      if (i == 0) {
        firstIsNoted.await();
      }
    }
    while (starts.waiting() < 19) {
      Thread.onSpinWait();
    }
    mayGoOn.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(calls).containsExactly(1, 19);
    assertThat(begun).hasValue(20);
  }

  /** An action of the loop that was waiting sees the jobs, but not yet their slots. */
  @Test
  void jobsThatBeginElsewhereAreNotGivenSlotsTwice() {
    Queue<Runnable> loop = new ConcurrentLinkedQueue<>();
    AtomicInteger bodies = new AtomicInteger();
    JobSlots slots =
        slots(
            threads(
                loop,
                body -> {
                  bodies.incrementAndGet();
                  return () -> {};
                }),
            new JobHandlers(),
            (finish, job) -> {});
    assertThat(slots.tryBegin(List.of(JobFetcherTest.aJob(1)))).isTrue();
    slots.add(List.of());
    runAll(loop);
    slots.add(List.of());
    assertThat(bodies).hasValue(1);
  }

  private volatile boolean mayRun = true;

  /** Returns why a handler was stopped that began before the loop knew, and what came between. */
  private @Nullable JobCancelReason begunElsewhere(Consumer<JobSlots> meanwhile)
      throws InterruptedException {
    Queue<Runnable> loop = new ConcurrentLinkedQueue<>();
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<@Nullable JobCancelReason> cause = new AtomicReference<>();
    JobHandlers handlers = new JobHandlers();
    handlers.add(
        JobKind.named("kind", byte[].class),
        job -> {
          began.countDown();
          new CountDownLatch(1).await(); // until it is interrupted
          return JobOutcome.done();
        });
    JobSlots slots =
        slots(
            threads(
                loop,
                body -> {
                  Thread thread = new Thread(body);
                  thread.start();
                  return thread::interrupt;
                }),
            handlers,
            (finish, job) -> {
              cause.set(job == null ? null : job.stopCause());
              ended.countDown();
            });
    assertThat(slots.tryBegin(List.of(JobFetcherTest.aJob(1)))).isTrue();
    began.await();
    meanwhile.accept(slots);
    runAll(loop);
    ended.await();
    return cause.get();
  }

  private static void runAll(Queue<Runnable> loop) {
    for (Runnable action = loop.poll(); action != null; action = loop.poll()) {
      action.run();
    }
  }

  private JobSlots slots(
      EngineThreads threads,
      JobHandlers handlers,
      BiConsumer<Completion, @Nullable RunningJob<?>> finished) {
    return slots(threads, InMemoryStore.create().jobs(), handlers, finished);
  }

  private JobSlots slots(
      EngineThreads threads,
      JobStore store,
      JobHandlers handlers,
      BiConsumer<Completion, @Nullable RunningJob<?>> finished) {
    return new JobSlots(
        new JobWorkerContext(MemberId.random(), "a", threads, TimeSource.system(), store),
        handlers,
        new Payloads(null),
        2,
        new JobSlots.Owner() {
          @Override
          public void finished(Completion finish, @Nullable RunningJob<?> job) {
            finished.accept(finish, job);
          }

          @Override
          public void freed() {}

          @Override
          public boolean mayRun(MemberId owner) {
            return mayRun;
          }

          @Override
          public void abandoned(int handlers) {}
        });
  }

  /** A loop that runs when it is told to, and bodies as given. */
  private static EngineThreads threads(
      Queue<Runnable> loop, Function<Runnable, EngineThreads.Body> bodies) {
    return (EngineThreads)
        Proxy.newProxyInstance(
            EngineThreads.class.getClassLoader(),
            new Class<?>[] {EngineThreads.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("execute")) {
                loop.add((Runnable) arguments[0]);
                return null;
              }
              return bodies.apply((Runnable) arguments[1]);
            });
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
