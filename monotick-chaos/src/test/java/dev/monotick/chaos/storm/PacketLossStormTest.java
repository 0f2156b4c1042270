package dev.monotick.chaos.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.chaos.cluster.EmbeddedServer;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A short storm in which the kernel drops packets between workers and the server. */
@Tag("thorough")
@ResourceLock("namespaces") // they are named after this process
class PacketLossStormTest {

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  @Timeout(600)
  void noJobIsLostOrDoneTwiceWhilePacketsAreDropped() throws Exception {
    Optional<String> obstacle = StormNetwork.obstacle();
    assumeTrue(
        obstacle.isEmpty(),
        () -> "packets cannot be dropped here (root and ip are needed): " + obstacle.get());
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"))) {
      StormResult result =
          new JobStorm(new StormSettings(6_000, 3, 11, true), server, folder, System.out::println)
              .run();

      assertThat(result.complaints()).as(result.line()).isEmpty();
    }
  }
}
