package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {

  private static final ServerUser SAME = new ServerUser(List.of(), false, Optional.empty());

  @TempDir Path folder;

  @Test
  void aLargeLogIsPutAsideAtTheNextStart() throws Exception {
    Path file = folder.resolve("server.log");
    ServerLog log = new ServerLog(file);
    Files.write(file, new byte[10_000_001]);
    log.prepare(SAME);
    assertThat(file).isEmptyFile();
    assertThat(folder.resolve("server.log.old")).hasSize(10_000_001);

    Files.writeString(file, "small");
    log.prepare(SAME);
    assertThat(file).hasContent("small");

    Files.write(file, new byte[10_000_002]);
    log.prepare(SAME);
    assertThat(folder.resolve("server.log.old")).hasSize(10_000_002);
  }

  @Test
  void theTailIsWhatWasWrittenSince() throws Exception {
    Path file = folder.resolve("server.log");
    Files.writeString(file, "before\n");
    ServerLog log = new ServerLog(file);
    long end = log.end();
    assertThat(log.tail(end)).isEmpty();
    Files.writeString(file, "before\n" + "line\n".repeat(20) + "last\n");
    assertThat(log.tail(end).lines()).hasSize(15).endsWith("last").doesNotContain("before");
  }
}
