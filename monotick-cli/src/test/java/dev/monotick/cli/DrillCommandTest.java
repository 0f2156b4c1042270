package dev.monotick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.postgres.PostgresLeadership;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Against replicas that really run, on a real server. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class DrillCommandTest {

  private static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofMillis(1700),
          Duration.ofMillis(400),
          Duration.ofMillis(400),
          Duration.ofMillis(300));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<AutoCloseable> open = new ArrayList<>();
  private EmbeddedPostgres server;

  @SuppressWarnings("NullAway.Init") // see startServer
  DrillCommandTest() {}

  @BeforeAll
  void startServer(@TempDir Path folder) {
    server = EmbeddedPostgres.builder().folder(folder.resolve("server")).start();
  }

  @AfterAll
  void stopAll() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
    server.close();
  }

  @Test
  void aLeaderThatIsKickedIsReplacedAndNothingIsLost() {
    start("kicked", PostgresLeadership.ADVISORY_LEASE, "a");
    start("kicked", PostgresLeadership.ADVISORY_LEASE, "b");
    int code = drill("kicked", "--kick", "--yes", "--quiet-after", "3");
    assertThat(out.toString() + err).contains("replicas   a, b").contains("Nothing doubled");
    assertThat(code).isZero();
    assertThat(lastLine()).matches("takeover_ms=\\d+ ticks=\\d+ .* doubled=0 lost=0");
    assertThat(lastLine()).doesNotContain("ticks=0");
  }

  /** As if each tick had been given back once, by a replica that could not begin it in time. */
  @Test
  void aTickThatIsClaimedAgainBeforeItBeganIsNotDoubled() throws SQLException {
    start("returned", PostgresLeadership.ADVISORY_LEASE, "a");
    start("returned", PostgresLeadership.ADVISORY_LEASE, "b");
    try (Connection connection =
            DriverManager.getConnection(url(), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create function returned.again() returns trigger language plpgsql as"
              + " 'begin new.attempt := 2; return new; end'");
      statement.execute(
          "create trigger again before update on returned.tick for each row"
              + " when (new.status = 'ENDED') execute function returned.again()");
    }
    assertThat(drill("returned", "--kick", "--yes", "--quiet-after", "3"))
        .as(out.toString() + err)
        .isZero();
    assertThat(out.toString()).contains("given back before they began, and claimed again");
    assertThat(lastLine()).contains("doubled=0 lost=0");
  }

  @Test
  void aLeaderThatIsStoppedByHandIsReplaced() {
    Monotick leader = start("guided", PostgresLeadership.LEASE_ROW, "a");
    Monotick other = start("guided", PostgresLeadership.LEASE_ROW, "b");
    Thread hand =
        new Thread(
            () -> {
              while (!out.toString().contains("Now do to")) {
                Thread.onSpinWait();
              }
              (out.toString().contains("Now do to a") ? leader : other).stop(Duration.ofSeconds(5));
            });
    hand.start();
    assertThat(drill("guided", "--quiet-after", "3")).as(out.toString() + err).isZero();
    assertThat(lastLine()).contains("doubled=0 lost=0");
  }

  @Test
  void aLeaseRowHasNoSessionToKick() {
    start("row", PostgresLeadership.LEASE_ROW, "a");
    assertThat(drill("row", "--kick", "--yes")).isEqualTo(MonotickCommand.REFUSED);
    assertThat(err.toString()).contains("no session holds the lease");
  }

  @Test
  void whatCannotBeDoneIsRefusedInASentence() {
    assertThat(drill("nowhere")).isEqualTo(MonotickCommand.REFUSED);
    assertThat(err.toString()).contains("no tables of Monotick in schema nowhere");
    assertThat(drill("nowhere", "--kick")).isEqualTo(MonotickCommand.REFUSED);
    assertThat(err.toString()).contains("add --yes");
    assertThat(run("drill", "--url", "jdbc:postgresql://127.0.0.1:1/none"))
        .isEqualTo(MonotickCommand.REFUSED);
    assertThat(err.toString()).contains("cannot connect to the database");
  }

  private Monotick start(String schema, PostgresLeadership leadership, String name) {
    PostgresStore store =
        PostgresStore.builder()
            .url(url())
            .user(server.user())
            .password(server.password())
            .schema(schema)
            .leadership(leadership)
            .leaseTiming(TIMING)
            .membershipTiming(TIMING)
            .build();
    Monotick engine =
        Monotick.builder()
            .store(store)
            .replicaName(name)
            .task(
                Task.named("lead")
                    .every(Duration.ofMillis(200))
                    .mode(HaMode.LEADER)
                    .run(context -> {}))
            .task(
                Task.named("one")
                    .every(Duration.ofMillis(300))
                    .mode(HaMode.ONE_REPLICA)
                    .run(context -> {}))
            .build();
    open.add(0, store);
    open.add(0, engine);
    engine.start();
    return engine;
  }

  private int drill(String schema, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "drill",
                "--url",
                url() + "?user=" + server.user() + "&password=" + server.password(),
                "--schema",
                schema));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  private String url() {
    return "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
  }

  private int run(String... arguments) {
    CommandLine line = MonotickCommand.create(Clock.systemUTC());
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private String lastLine() {
    List<String> lines = out.toString().lines().toList();
    return lines.get(lines.size() - 1);
  }
}
