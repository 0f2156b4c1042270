package dev.monotick.examples.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.task.HaMode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TerminalScreenTest {

  private static final ClusterView VIEW =
      new ClusterView(
          Duration.ofSeconds(83),
          List.of(
              new ClusterView.ReplicaRow(
                  "alpha", ClusterView.State.STOPPED, false, null, Duration.ZERO),
              new ClusterView.ReplicaRow(
                  "bravo", ClusterView.State.LEADS, true, new Fence(1, 2), Duration.ofMillis(1340)),
              new ClusterView.ReplicaRow(
                  "charlie", ClusterView.State.FOLLOWS, true, null, Duration.ZERO)),
          List.of(
              row("sign-list", HaMode.LEADER, Duration.ofMillis(1200), "SUCCEEDED", "bravo"),
              row("send-digest", HaMode.ONE_REPLICA, Duration.ZERO, "SUCCEEDED", "charlie"),
              row("poll-supplier", HaMode.ONE_REPLICA, null, "FAILED, backoff", "bravo"),
              row("build-report", HaMode.ONE_REPLICA, null, "SKIPPED excluded", "bravo"),
              row("refresh-cache", HaMode.EVERY_REPLICA, null, "SUCCEEDED", "3 replicas"),
              row("drain-outbox", HaMode.SHARED, null, "-", "-")),
          new ClusterView.Proof(50, 44, 4, 0),
          new Outbox.Figures(60, 58, 2, 0),
          List.of("12:00:01 bravo leads", "12:00:02 " + "long ".repeat(30)));

  private static ClusterView.TaskRow row(
      String name, HaMode mode, @Nullable Duration next, String last, String ranOn) {
    return new ClusterView.TaskRow(name, mode, next, last, ranOn, 31, 2);
  }

  @Test
  void tableSaysWhoLeadsByWhatRightAndWhoRanWhat() {
    TruthTable table = new TruthTable(VIEW, TextStyle.PLAIN);

    assertThat(table.replicas())
        .containsExactly(
            "   alpha    stopped",
            " * bravo    leads    fence 1.2, valid for 1.3 s  cut off from the store",
            "   charlie  cut off from the store");
    assertThat(table.tasks())
        .hasSize(7)
        .contains(
            " task          mode             next  last outcome     ran on      runs refused",
            " sign-list     LEADER          1.2 s  SUCCEEDED        bravo         31       2",
            " refresh-cache EVERY_REPLICA       -  SUCCEEDED        3 replicas    31       2");
  }

  @Test
  void proofAccountsForEveryTickAndMessage() {
    assertThat(new TruthTable(VIEW, TextStyle.PLAIN).proof())
        .containsExactly(
            " ticks due 50 = 44 ran + 4 skipped or missed + 2 open             duplicates=0",
            " messages  60 = 58 sent + 2 waiting                               sent twice=0");
  }

  @Test
  void frameFitsTheSmallestUsualTerminal() {
    assertThat(TerminalScreen.lines(VIEW, TextStyle.PLAIN))
        .hasSize(24)
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(TruthTable.WIDTH));
  }

  @Test
  void colourChangesNoLetter() {
    assertThat(
            TerminalScreen.lines(VIEW, TextStyle.COLOUR).stream()
                .map(TerminalScreenTest::withoutCodes)
                .toList())
        .isEqualTo(TerminalScreen.lines(VIEW, TextStyle.PLAIN))
        .isNotEqualTo(TerminalScreen.lines(VIEW, TextStyle.COLOUR));
  }

  @Test
  void narrowTerminalGetsWhatFits() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TerminalScreen screen = new TerminalScreen(new PrintStream(bytes, false, US_ASCII), true);
    screen.draw(VIEW, new TerminalScreen.Size(10, 40));

    List<String> lines = withoutCodes(bytes.toString(US_ASCII)).strip().lines().toList();
    assertThat(lines).hasSize(10).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(40));
  }

  @Test
  void nothingIsDrawnAfterTheEnd() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TerminalScreen screen = new TerminalScreen(new PrintStream(bytes, false, US_ASCII), true);
    screen.draw(VIEW, new TerminalScreen.Size(24, 80));
    screen.end();
    int size = bytes.size();
    screen.draw(VIEW, new TerminalScreen.Size(24, 80));
    screen.end();

    assertThat(bytes.size()).isEqualTo(size);
    assertThat(bytes.toString(US_ASCII)).endsWith("\033[?25h");
  }

  private static String withoutCodes(String text) {
    return text.replaceAll("\033\\[[?0-9;]*[A-Za-z]", "");
  }
}
