package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.engine.observe.CapturedLog;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.MemberConfig;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** What replicas tell each other of their configuration, and what is made of it. */
class ReplicaDifferencesTest {

  private static final JobKind<String> MAIL = JobKind.named("mail", String.class);
  private static final JobKind<String> FAX = JobKind.named("fax", String.class);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final List<String> figures = new ArrayList<>();

  private Monotick engine(String name, Task... tasks) {
    var builder =
        Monotick.builder()
            .store(store)
            .replicaName(name)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .metrics(
                new MetricSink() {
                  @Override
                  public void jobsUnhandled(String kind, long jobs) {
                    figures.add(name + " " + kind + " " + jobs);
                  }
                });
    for (Task task : tasks) {
      builder.task(task);
    }
    Monotick engine = builder.build();
    engine.start();
    return engine;
  }

  private static Task task(Duration every) {
    return Task.named("t").every(every).mode(HaMode.ONE_REPLICA).run(context -> {});
  }

  /** Stands for a replica that proves at each step that it lives. */
  private void beside(MemberInfo other, Duration time) {
    for (Duration passed = Duration.ZERO;
        passed.compareTo(time) < 0;
        passed = passed.plusSeconds(1)) {
      if (store.replicas().heartbeat(other.id()).isEmpty()) {
        store.replicas().join(other, false);
      }
      scheduler.advance(Duration.ofSeconds(1));
    }
  }

  private MemberInfo other(String name, MemberConfig config) {
    return new MemberInfo(
        MemberId.random(), name, scheduler.time().timeSource().now(), Set.of(), config);
  }

  @Test
  void replicasTellTheirTimeZoneDataKindsAndTasks() {
    Monotick engine = engine("one", task(Duration.ofMinutes(1)));
    engine.handle(MAIL, job -> JobOutcome.done());
    scheduler.advance(Duration.ofSeconds(3));
    assertThat(engine.replicas().get(0).tzdb()).isEqualTo(MemberConfig.tzdbOfThisProcess());
    assertThat(engine.replicas().get(0).kinds()).containsExactly("mail");
    MemberConfig config = store.replicas().live().get(0).config();
    assertThat(config.tzdb()).isEqualTo(MemberConfig.tzdbOfThisProcess()).matches("\\d{4}[a-z]");
    assertThat(config.kinds()).containsExactly("mail");
    assertThat(config.tasks().get("t")).contains("mode=ONE_REPLICA\n", "timeout=PT2M\n");
  }

  @Test
  void otherTimeZoneDataAreLoggedOnce() {
    Monotick engine = engine("one", task(Duration.ofMinutes(1)));
    MemberInfo old = other("old", new MemberConfig("1999a", Set.of(), Map.of()));
    try (CapturedLog log = CapturedLog.open()) {
      beside(old, Duration.ofMinutes(3));
      assertThat(log.lines(Level.WARN, "time-zone data differ"))
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .contains(
                          "tzdb=" + MemberConfig.tzdbOfThisProcess() + " here",
                          "tzdb=1999a on old"));
    }
    assertThat(engine.replicas())
        .extracting(ReplicaInfo::tzdb)
        .contains("1999a", MemberConfig.tzdbOfThisProcess());
  }

  @Test
  void sameTimeZoneDataAreNotLogged() {
    try (CapturedLog log = CapturedLog.open()) {
      engine("one", task(Duration.ofMinutes(1)));
      engine("two", task(Duration.ofMinutes(1)));
      scheduler.advance(Duration.ofMinutes(1));
      assertThat(log.lines(Level.WARN, "")).isEmpty();
    }
  }

  @Test
  void truthTableShowsWhatIsRegisteredDifferently() {
    Monotick one = engine("one", task(Duration.ofMinutes(1)));
    scheduler.advance(Duration.ofSeconds(1));
    Monotick two = engine("two", task(Duration.ofMinutes(5)));
    scheduler.advance(Duration.ofSeconds(5));
    TaskStatus older = one.tasks().get(0);
    TaskStatus newer = two.tasks().get(0);
    assertThat(older.differences())
        .containsExactly(
            new TaskStatus.Difference(
                "two",
                "schedule",
                older.task().schedule().toString(),
                newer.task().schedule().toString()));
    assertThat(older.supersededBy()).isEqualTo("two");
    assertThat(older.next()).as("it is planned by the other replica").isNull();
    assertThat(newer.differences()).hasSize(1);
    assertThat(newer.supersededBy()).isNull();
    two.stop(Duration.ZERO);
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(one.tasks().get(0).differences()).isEmpty();
    assertThat(one.tasks().get(0).supersededBy()).isNull();
    assertThat(one.tasks().get(0).next()).isNotNull();
  }

  @Test
  void kindWithoutAHandlerIsLoggedOnceAndCounted() {
    Monotick one = engine("one", task(Duration.ofMinutes(1)));
    one.handle(MAIL, job -> JobOutcome.done());
    try (CapturedLog log = CapturedLog.open()) {
      one.jobs().enqueue(FAX.of("a"));
      one.jobs().enqueue(FAX.of("b"));
      one.jobs().enqueue(MAIL.of("c"));
      scheduler.advance(Duration.ofMinutes(10));
      assertThat(log.lines(Level.WARN, "no live replica handles"))
          .containsExactly(
              "WARN no live replica handles jobs of kind=fax jobs=2; start a replica with a handler"
                  + " for it, or cancel them");
      assertThat(figures).isNotEmpty().containsOnly("one fax 2");
      one.handle(FAX, job -> JobOutcome.done());
      scheduler.advance(Duration.ofMinutes(2));
      assertThat(figures).endsWith("one fax 0");
      assertThat(log.lines(Level.INFO, "no job waits for a handler any more kind=fax")).hasSize(1);
    }
  }

  @Test
  void kindThatAnotherReplicaHandlesIsNotCounted() {
    Monotick one = engine("one", task(Duration.ofMinutes(1)));
    MemberInfo busy = other("busy", new MemberConfig("", Set.of("fax"), Map.of()));
    try (CapturedLog log = CapturedLog.open()) {
      one.jobs().enqueue(FAX.of("a"));
      beside(busy, Duration.ofMinutes(5));
      assertThat(log.lines(Level.WARN, "no live replica handles")).isEmpty();
      assertThat(figures).isEmpty();
    }
  }
}
