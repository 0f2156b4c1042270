package dev.monotick.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.schedule.Schedule;
import dev.monotick.spi.Store;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.testkit.SimulatedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Java of README and docs/learn/tasks.md and testing.md is a piece of this file, and runs. */
class SnippetsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private final List<String> sent = new ArrayList<>();
  private final Mailer mailer = (text, key) -> sent.add(key);
  private final Repository repository = new Repository();
  private final Queue queue = new Queue();

  interface Mailer {
    void send(String text, String key);
  }

  static final class Repository {
    private int left = 3;
    private int deletions;

    void deleteExpired(Instant before) {
      deletions++;
    }

    boolean deleteSome() {
      return left-- > 0;
    }
  }

  static final class Queue {
    private final List<String> rows = new ArrayList<>(List.of("a", "b", "c"));
    private final List<String> delivered = new ArrayList<>();

    List<String> claim(int limit) {
      List<String> claimed = List.copyOf(rows.subList(0, Math.min(limit, rows.size())));
      rows.removeAll(claimed);
      return claimed;
    }

    void deliver(String row) {
      delivered.add(row);
    }
  }

  private static String digest(Instant day) {
    return "digest of " + day;
  }

  @Test
  void readmeRuns() {
    Store store = InMemoryStore.create();
    Monotick monotick =
        Monotick.builder()
            .store(store) // the one all replicas share
            .task(
                Task.named("send-digest")
                    .cron("0 7 * * MON-FRI", ZoneId.of("Europe/Berlin"))
                    .mode(HaMode.ONE_REPLICA)
                    .run(
                        context ->
                            mailer.send(digest(context.nominalTime()), context.idempotencyKey())))
            .build();
    monotick.start();
    assertThat(monotick.tasks()).hasSize(1);
    assertThat(monotick.stop(Duration.ZERO).isClean()).isTrue();
  }

  private Task cleanup() {
    Task cleanup =
        Task.named("cleanup")
            .every(Duration.ofMinutes(5))
            .mode(HaMode.LEADER)
            .timeout(Duration.ofSeconds(30))
            .run(context -> repository.deleteExpired(context.nominalTime()));
    return cleanup;
  }

  @Test
  void manualSchedulerRuns() {
    Task cleanup = cleanup();
    ManualScheduler scheduler = new ManualScheduler();
    Monotick monotick =
        Monotick.builder()
            .store(InMemoryStore.builder().time(scheduler.time().timeSource()).build())
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .task(cleanup)
            .build();
    monotick.start();
    scheduler.advance(Duration.ofMinutes(10));
    assertThat(monotick.history("cleanup", 10)).hasSize(2);
    assertThat(repository.deletions).isEqualTo(2);
  }

  @Test
  void simulatedClusterRuns() {
    Task cleanup = cleanup();
    try (SimulatedCluster cluster =
        SimulatedCluster.builder().replicas(3).seed(7).task(replica -> cleanup).start()) {
      for (int day = 0; day < 30; day++) {
        cluster.advance(Duration.ofHours(1));
        int leader = cluster.leader(Task.DEFAULT_GROUP).orElseThrow();
        cluster.crash(leader);
        cluster.advance(Duration.ofMinutes(10));
        cluster.restart(leader);
      }
      assertThat(cluster.runs()).extracting(run -> run.tick().nominal()).doesNotHaveDuplicates();
    }
  }

  @Test
  void sharedTaskRuns() {
    Task outbox =
        Task.named("outbox")
            .every(Duration.ofSeconds(1))
            .mode(HaMode.SHARED)
            .slots(8)
            .run(
                context -> {
                  for (String row : queue.claim(context.freeSlots())) {
                    context.runInSlot(work -> queue.deliver(row));
                  }
                });
    try (SimulatedCluster cluster =
        SimulatedCluster.builder().replicas(2).task(replica -> outbox).start()) {
      cluster.advance(Duration.ofSeconds(2));
    }
    assertThat(queue.delivered).containsExactly("a", "b", "c");
  }

  @Test
  void taskClassRuns() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder().task(replica -> new Tasks(repository).new Cleanup()).start()) {
      cluster.advance(Duration.ofMinutes(6));
      assertThat(cluster.runs()).hasSize(1);
    }
    assertThat(repository.left).isNegative();
  }

  /** Holds the class of the docs, which is written as if it stood alone. */
  static final class Tasks {
    private final Repository repository;

    Tasks(Repository repository) {
      this.repository = repository;
    }

    final class Cleanup implements Task {

      @Override
      public String name() {
        return "cleanup";
      }

      @Override
      public Schedule schedule() {
        return Schedule.every(Duration.ofMinutes(5));
      }

      @Override
      public HaMode mode() {
        return HaMode.LEADER;
      }

      @Override
      public void execute(TaskContext context) throws Exception {
        while (repository.deleteSome()) {
          context.checkCancelled(); // leadership lost, timeout, shutdown: stop here
        }
      }
    }
  }

  @Test
  void monthOfLeaderCrashesRuns() {
    Task cleanup = Task.named("cleanup").cron("30 * * * *").mode(HaMode.LEADER).run(c -> {});
    LeaseTiming minutes =
        new LeaseTiming(
            Duration.ofMinutes(4),
            Duration.ofMinutes(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30));
    try (SimulatedCluster cluster =
        SimulatedCluster.builder().leaseTiming(minutes).task(replica -> cleanup).start()) {
      cluster.advanceCrashingLeaders(Duration.ofDays(30), Duration.ofHours(1));
      assertThat(cluster.runs()).extracting(run -> run.tick().nominal()).doesNotHaveDuplicates();
    }
  }

  @Test
  void jobsOfAClusterRun() {
    JobKind<String> mail = JobKind.named("mail", String.class);
    try (SimulatedCluster cluster =
        SimulatedCluster.builder().handler(mail, replica -> context -> JobOutcome.done()).start()) {
      JobId id = cluster.jobs().enqueue(mail.of("hello")).id();
      cluster.skewClock(1, Duration.ofHours(-1), 1.05); // an hour behind, and 5 % too fast
      cluster.restartStore(Duration.ofSeconds(5));
      cluster.advance(Duration.ofMinutes(1));
      assertThat(cluster.jobs().find(id).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
    }
  }

  @Test
  void everySnippetIsPieceOfThisFile() throws IOException {
    String here =
        normal(Files.readString(Path.of("src/test/java/dev/monotick/docs/SnippetsTest.java")));
    int found = 0;
    for (Path page : pages()) {
      Matcher block = JAVA_BLOCK.matcher(withoutSchedules(Files.readString(page)));
      while (block.find()) {
        found++;
        assertThat(here).as("a snippet of %s", page).contains(normal(block.group(1)));
      }
    }
    assertThat(found).isGreaterThanOrEqualTo(6);
  }

  private static List<Path> pages() {
    return Stream.of("README.md", "docs/learn/tasks.md", "docs/learn/testing.md")
        .map(ROOT::resolve)
        .toList();
  }

  /** Drops the section of README that ScheduleDocsTest reads. */
  private static String withoutSchedules(String page) {
    return page.replaceAll("(?s)\n## Only the schedules\n.*?(?=\n## )", "");
  }

  /** The formatter may break lines differently; what counts is what the compiler sees. */
  private static String normal(String code) {
    return code.replaceAll("\\s+", "");
  }
}
