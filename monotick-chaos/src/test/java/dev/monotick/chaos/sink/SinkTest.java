package dev.monotick.chaos.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.sink.SinkEffect.Kind;
import dev.monotick.leader.Fence;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class SinkTest {

  private final Journal journal = new Journal();
  private Sink sink;
  private SinkClient client;

  @SuppressWarnings("NullAway.Init") // see start
  SinkTest() {}

  @BeforeEach
  void start(@TempDir Path folder) {
    sink = new Sink(folder, journal);
    client = new SinkClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), sink.port()));
  }

  @AfterEach
  void stop() {
    sink.close();
  }

  @Test
  void anOlderFenceIsRefusedOnceANewerOneWasAccepted() {
    assertThat(client.send(effect("t1", Kind.FENCED, new Fence(1, 1))))
        .isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t2", Kind.FENCED, new Fence(1, 2))))
        .isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t3", Kind.FENCED, new Fence(1, 1))))
        .isEqualTo(EffectVerdict.STALE);
    assertThat(client.send(effect("t4", Kind.FENCED, new Fence(2, 1))))
        .isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t5", Kind.FENCED, null))).isEqualTo(EffectVerdict.STALE);
  }

  @Test
  void aPlainEffectTakesPlaceAsOftenAsItIsSentAndAnIdempotentOneOnce() {
    assertThat(client.send(effect("t1", Kind.PLAIN, null))).isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t1", Kind.PLAIN, null))).isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t2", Kind.IDEMPOTENT, null))).isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(client.send(effect("t2", Kind.IDEMPOTENT, null))).isEqualTo(EffectVerdict.REPEATED);
  }

  @Test
  void whatWasAnsweredIsOnDiskAlsoWhenTheSinkIsKilled() {
    SinkEffect effect = effect("t1", Kind.FENCED, new Fence(1, 7));
    client.send(effect);
    sink.close();
    HistoryEvent kept = sink.effects().get(0);
    assertThat(SinkEffect.of(kept)).isEqualTo(effect);
    assertThat(kept.get("verdict")).isEqualTo("ACCEPTED");
  }

  @Test
  void anAnnouncementIsHeldUpUntilItIsReleased() {
    sink.hold("leader");
    CompletableFuture<EffectVerdict> verdict =
        CompletableFuture.supplyAsync(() -> client.announceAndSend(effect("t1", Kind.PLAIN, null)));
    sink.awaitHeld("leader", 0, Duration.ofSeconds(20));
    assertThat(client.send(effect("t2", Kind.PLAIN, null))).isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(sink.effects()).hasSize(1);
    sink.release("leader");
    assertThat(verdict.join()).isEqualTo(EffectVerdict.ACCEPTED);
    assertThat(sink.effects()).hasSize(2);
  }

  private static SinkEffect effect(String nominal, Kind kind, @Nullable Fence fence) {
    return new SinkEffect("group", "leader", nominal, 1, "r1.1", kind, fence, "leader/" + nominal);
  }
}
