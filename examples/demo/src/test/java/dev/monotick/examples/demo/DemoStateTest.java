package dev.monotick.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The whole demo in virtual time, on one thread. */
class DemoStateTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final List<String> lines = new ArrayList<>();
  private final DemoState show =
      new DemoState(
          scheduler.time().timeSource(),
          ZoneOffset.UTC,
          builder -> builder.threads(scheduler.threads()),
          lines::add);

  private void advance(Duration amount) {
    scheduler.advance(amount);
  }

  private void assertEveryTickHadOneEffect() {
    ClusterView view = show.view();
    assertThat(view.proof().duplicates()).isZero();
    assertThat(view.proof().open()).isBetween(0L, 2L);
    assertThat(view.proof().ran()).isPositive();
    assertThat(view.outbox().sentTwice()).isZero();
    assertThat(view.outbox().put()).isEqualTo(view.outbox().sent() + view.outbox().waiting());
  }

  @Test
  void unattendedItStopsTheLeaderReportsTheTakeoverAndRestartsIt() {
    UnattendedDemo unattended = new UnattendedDemo(show, lines::add);
    show.cluster().start();
    while (show.uptime().compareTo(Duration.ofSeconds(90)) < 0) {
      unattended.step();
      advance(Duration.ofMillis(200));
    }

    assertThat(show.cluster().narrator().takeovers()).isEqualTo(1);
    assertThat(lines)
        .anyMatch(line -> line.matches(".* stopping \\w+, the leader; .*"))
        .anyMatch(line -> line.matches(".*took over \\d+ ms after \\w+ was stopped"))
        .anyMatch(line -> line.endsWith("started again, as a new replica"))
        .anyMatch(line -> line.contains("poll-supplier failed"))
        .anyMatch(line -> line.contains("duplicates=0"));
    assertThat(show.view().replicas()).noneMatch(row -> row.state() == ClusterView.State.STOPPED);
    assertEveryTickHadOneEffect();
  }

  @Test
  void leaderThatIsCutOffIsReplacedAndComesBackAsFollower() {
    show.cluster().start();
    advance(Duration.ofSeconds(5));
    DemoReplica first = show.cluster().leader().orElseThrow();
    show.cluster().cutLeaderOrHeal();
    scheduler.advanceUntil(() -> show.cluster().narrator().takeovers() == 1);

    assertThat(first.row()).matches(row -> row.cut() && row.state() == ClusterView.State.FOLLOWS);
    assertThat(lines).anyMatch(line -> line.contains("no longer leads: no renewal in time"));

    show.cluster().cutLeaderOrHeal();
    advance(Duration.ofSeconds(20));

    assertThat(first.row()).matches(row -> !row.cut() && row.state() == ClusterView.State.FOLLOWS);
    assertEveryTickHadOneEffect();
  }

  @Test
  void everyTaskShowsWhatItIsThereFor() {
    show.cluster().start();
    advance(Duration.ofSeconds(35));

    assertThat(show.view().tasks())
        .allSatisfy(row -> assertThat(row.runs()).isPositive())
        .anyMatch(row -> row.name().equals("refresh-cache") && row.ranOn().equals("3 replicas"))
        .anyMatch(row -> row.name().equals("poll-supplier") && row.last().equals("FAILED, backoff"))
        .anyMatch(row -> row.name().equals("build-report") && row.runs() == 4);
    assertEveryTickHadOneEffect();
  }

  @Test
  void withAllReplicasStoppedNothingRunsAndRestartGoesOn() {
    show.cluster().start();
    advance(Duration.ofSeconds(5));
    assertThat(show.cluster().stop()).isTrue();
    long ran = show.view().proof().ran();
    advance(Duration.ofSeconds(10));
    assertThat(show.view().proof().ran()).isEqualTo(ran);

    show.cluster().stopLeader();
    assertThat(lines).anyMatch(line -> line.contains("nobody leads right now"));
    show.cluster().restart();
    advance(Duration.ofSeconds(10));
    assertThat(show.view().proof().ran()).isGreaterThan(ran);
    assertEveryTickHadOneEffect();
  }
}
