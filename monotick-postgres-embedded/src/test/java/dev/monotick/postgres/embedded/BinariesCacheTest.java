package dev.monotick.postgres.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.postgres.embedded.binaries.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class BinariesCacheTest {

  @TempDir Path folder;

  private Path place() {
    return folder.resolve("cache");
  }

  private BinariesCache cache() {
    return new BinariesCache(List.of(place()));
  }

  /** A server of one program, one other file and one link, or with what else is given. */
  private BinariesSource source(TarArchiveEntry... more) throws IOException {
    Path file = folder.resolve("server.txz");
    try (TarArchiveOutputStream archive =
        new TarArchiveOutputStream(
            new XZOutputStream(Files.newOutputStream(file), new LZMA2Options(0)))) {
      TarArchiveEntry program = new TarArchiveEntry("bin/postgres");
      program.setMode(0755);
      add(archive, program, "program");
      add(archive, new TarArchiveEntry("share/postgresql/data.sql"), "data");
      TarArchiveEntry link = new TarArchiveEntry("lib/libpq.so", TarConstants.LF_SYMLINK);
      link.setLinkName("libpq.so.5");
      add(archive, link, "");
      for (TarArchiveEntry entry : more) {
        add(archive, entry, "");
      }
    }
    return new BinariesSource(file.toUri().toURL(), "18.6.0");
  }

  private static void add(TarArchiveOutputStream archive, TarArchiveEntry entry, String text)
      throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    entry.setSize(bytes.length);
    archive.putArchiveEntry(entry);
    archive.write(bytes);
    archive.closeArchiveEntry();
  }

  @Test
  void unpacksAServerForAllToRun() throws Exception {
    ServerBinaries binaries = cache().binaries(source());
    assertThat(Path.of(binaries.program("postgres"))).isExecutable().hasContent("program");
    assertThat(binaries.folder().resolve("share/postgresql/data.sql")).hasContent("data");
    assertThat(Files.readSymbolicLink(binaries.folder().resolve("lib/libpq.so")))
        .hasToString("libpq.so.5");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(binaries.folder())))
        .isEqualTo("rwxr-xr-x");
    assertThat(binaries.folder().getFileName().toString()).matches("18\\.6\\.0-[0-9a-f]{8}");
  }

  @Test
  void unpacksOnce() throws Exception {
    BinariesSource source = source();
    Path program = Path.of(cache().binaries(source).program("postgres"));
    Object first = Files.readAttributes(program, "unix:ino").get("ino");
    cache().binaries(source);
    assertThat(Files.readAttributes(program, "unix:ino").get("ino")).isEqualTo(first);
  }

  @Test
  void replacesAServerOfWhichSomethingIsMissingOrChanged() throws Exception {
    BinariesSource source = source();
    Path server = cache().binaries(source).folder();
    Files.delete(server.resolve("share/postgresql/data.sql"));
    cache().binaries(source);
    assertThat(server.resolve("share/postgresql/data.sql")).hasContent("data");

    Files.writeString(server.resolve("share/postgresql/data.sql"), "");
    cache().binaries(source);
    assertThat(server.resolve("share/postgresql/data.sql")).hasContent("data");

    Files.writeString(server.resolve("bin/postgres"), "PROGRAM");
    cache().binaries(source);
    assertThat(server.resolve("bin/postgres")).hasContent("program");

    Files.delete(server.resolve("contents"));
    cache().binaries(source);
    assertThat(server.resolve("contents")).exists();
  }

  @Test
  void removesWhatAKilledProcessHasLeft() throws Exception {
    Path left = Files.createDirectories(place().resolve("unpacking-123/bin"));
    Files.writeString(left.resolve("postgres"), "pro");
    cache().binaries(source());
    assertThat(left).doesNotExist();
  }

  @Test
  void leavesNothingOfAnArchiveThatIsDamaged() throws Exception {
    BinariesSource source = source();
    Path file = Path.of(source.url().toURI());
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(() -> cache().binaries(source))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("could not unpack PostgreSQL 18.6.0 into " + place());
    try (Stream<Path> files = Files.list(place())) {
      assertThat(files.map(Path::getFileName).map(Path::toString)).containsExactly("lock");
    }
  }

  @Test
  void refusesAnArchiveThatReachesOutOfItsFolder() throws Exception {
    BinariesSource file = source(new TarArchiveEntry("../outside", true));
    assertThatThrownBy(() -> cache().binaries(file)).hasMessageContaining("outside of its folder");
    TarArchiveEntry link = new TarArchiveEntry("lib/evil", TarConstants.LF_SYMLINK);
    link.setLinkName("/etc/passwd");
    BinariesSource withLink = source(link);
    assertThatThrownBy(() -> cache().binaries(withLink))
        .hasMessageContaining("outside of its folder");
  }

  @Test
  void threadsThatUnpackAtOnceGetTheSame() throws Exception {
    BinariesSource source = source();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<ServerBinaries>> futures = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        futures.add(threads.submit(() -> cache().binaries(source)));
      }
      for (Future<ServerBinaries> future : futures) {
        assertThat(Path.of(future.get().program("postgres"))).hasContent("program");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void takesTheNextPlaceIfOneCannotBeUsed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    BinariesCache cache = new BinariesCache(List.of(file.resolve("below"), open, place()));
    assertThat(cache.binaries(source()).folder()).startsWithRaw(place());

    BinariesCache none = new BinariesCache(List.of(file.resolve("below"), open));
    BinariesSource source = source();
    assertThatThrownBy(() -> none.binaries(source))
        .hasMessageContaining(file.resolve("below") + " cannot be created")
        .hasMessageContaining(open + " can be written to by other users");
  }

  @Test
  void theUsualPlaceIsOneThatTheServerCanReach() {
    Path own = Path.of("/folder/binaries");
    assertThat(BinariesCache.usualPlaces(true, Map.of("XDG_CACHE_HOME", "/root/cache"), own))
        .hasSize(2)
        .allSatisfy(place -> assertThat(place.toString()).doesNotContain("root"))
        .endsWith(own);
    assertThat(BinariesCache.usualPlaces(false, Map.of("XDG_CACHE_HOME", "/somewhere"), own))
        .containsExactly(Path.of("/somewhere/monotick/postgres"), own);
  }
}
