package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.JobEndRefused;
import dev.monotick.event.MonotickEvent.JobEnded;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What listeners and metrics are told of runs of jobs. */
class JobNotificationTest {

  private static final JobKind<String> KIND =
      JobKind.named("work", String.class)
          .maxAttempts(2)
          .retry(RetryPolicy.fixed(Duration.ofSeconds(1)));

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final MemberId replica = MemberId.random();
  private final List<MonotickEvent> events = new ArrayList<>();
  private final List<String> figures = new ArrayList<>();
  private Optional<Monotick> engine = Optional.empty();
  private boolean unheard;

  @AfterEach
  void close() {
    engine.ifPresent(Monotick::close);
  }

  @Test
  void jobThatDiesOfItsLastAttemptIsToldToHaveDied() {
    Monotick monotick =
        start(
            store,
            job -> {
              throw new IllegalStateException("broken");
            });
    JobId id = monotick.jobs().enqueue(KIND.of("a")).id();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(monotick.jobs().find(id).orElseThrow().state()).isEqualTo(JobState.DEAD);
    assertThat(figures).containsExactly("Retried", "Died");
    assertThat(events)
        .containsExactly(
            new JobEnded(id, "work", "Retried", 1, 2, Duration.ZERO),
            new JobEnded(id, "work", "Died", 2, 2, Duration.ZERO));
  }

  @Test
  void soItIsIfTheHandlerAsksForAnotherAttempt() {
    Monotick monotick =
        start(store, job -> JobOutcome.retryAfter(Duration.ofSeconds(1), "not yet"));
    monotick.jobs().enqueue(KIND.of("a"));
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(figures).containsExactly("Retried", "Died");
  }

  /** It believes to live, and hears of its end first when it notes how far it is. */
  @Test
  void endOfARunThatOthersEndedIsToldToBeRefused() {
    Monotick monotick =
        start(
            new Deaf(),
            job -> {
              if (job.run() == 1) {
                unheard = true;
                store.replicas().leave(replica);
                assertThat(store.jobs().rescue()).isEqualTo(1); // as another would
                job.sleep(Duration.ofMinutes(1));
                figures.add("not interrupted");
              }
              return JobOutcome.done();
            });
    JobId id = monotick.jobs().enqueue(KIND.of("a")).id();
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(figures).doesNotContain("not interrupted");
    assertThat(events).contains(new JobEndRefused(id, "work", 1));
    assertThat(figures).contains("refused");
  }

  @Test
  void endOfARunThatSomebodyCancelledIsNotWorthAWord() {
    Monotick monotick =
        start(
            store,
            job -> {
              assertThat(store.jobs().cancel(job.id(), "ann", "enough")).isTrue(); // as others do
              job.sleep(Duration.ofMinutes(1));
              figures.add("not interrupted");
              return JobOutcome.done();
            });
    monotick.jobs().enqueue(KIND.of("a"));
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(events).isEmpty();
    assertThat(figures).isEmpty();
  }

  private Monotick start(Store of, JobHandler<String> handler) {
    Monotick built =
        Monotick.builder()
            .store(of)
            .replicaId(replica)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .metrics(
                new MetricSink() {
                  @Override
                  public void jobEnded(String kind, String end, Duration took) {
                    figures.add(end);
                  }

                  @Override
                  public void jobRefused(String kind) {
                    figures.add("refused");
                  }
                })
            .handler(KIND, handler)
            .build();
    engine = Optional.of(built);
    built.subscribe((MonotickEvent event) -> events.add(event));
    built.start();
    return built;
  }

  /** The store, as a replica sees it that does not hear that it was taken for dead. */
  private final class Deaf implements Store, MemberRegistry {

    @Override
    public TickLedger ledger() {
      return store.ledger();
    }

    @Override
    public MemberRegistry replicas() {
      return this;
    }

    @Override
    public LeaderElection leaders() {
      return store.leaders();
    }

    /** A hint may never come. */
    @Override
    public JobStore jobs() {
      return InterceptingStore.tapped(
          store.jobs(),
          (method, arguments, rest) -> method.getName().equals("onEnded") ? null : rest.ask());
    }

    @Override
    public LeaseTiming timing() {
      return store.replicas().timing();
    }

    @Override
    public boolean join(MemberInfo info, boolean alone, Set<MemberId> former) {
      return store.replicas().join(info, alone, former);
    }

    @Override
    public Optional<List<MemberInfo>> heartbeat(MemberId id) {
      return unheard ? Optional.of(List.of()) : store.replicas().heartbeat(id);
    }

    @Override
    public void update(MemberInfo info) {
      store.replicas().update(info);
    }

    @Override
    public void leave(MemberId id) {
      store.replicas().leave(id);
    }

    @Override
    public List<MemberInfo> live() {
      return store.replicas().live();
    }
  }
}
