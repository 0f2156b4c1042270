package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.postgres.embedded.binaries.FileTrees;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes of those who start a server, and what they are told. */
class RefusalsTest {

  @TempDir(factory = OpenFolder.class)
  Path parent;

  private Path folder() {
    return parent.resolve("server");
  }

  private EmbeddedPostgresBuilder builder() {
    return EmbeddedPostgres.builder().folder(folder());
  }

  @Test
  void noFolder() {
    EmbeddedPostgresBuilder builder = EmbeddedPostgres.builder();
    assertThatIllegalArgumentException()
        .isThrownBy(builder::start)
        .withMessageContaining("folder is missing");
  }

  @Test
  void aFolderThatIsAFile() throws Exception {
    Files.writeString(folder(), "");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().start())
        .withMessage("folder " + folder() + " is a file; name a folder that is empty or absent");
  }

  @Test
  void aFolderBelowAFile() throws Exception {
    Files.writeString(folder(), "");
    EmbeddedPostgresBuilder builder = EmbeddedPostgres.builder().folder(folder().resolve("below"));
    assertThatThrownBy(builder::start)
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(folder().resolve("below") + " cannot be used");
  }

  @Test
  void aFolderWithOtherThingsInIt() throws Exception {
    Files.createDirectories(folder().resolve("photos"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().start())
        .withMessageContaining("holds other files and no embedded server");
    assertThat(folder().resolve("photos")).exists();
    assertThat(folder().resolve("lock")).doesNotExist();
  }

  @Test
  void aFolderThatProgramsCannotBeToldOf() {
    EmbeddedPostgresBuilder builder =
        EmbeddedPostgres.builder().folder(parent.resolve("a $(reboot) b"));
    assertThatIllegalArgumentException()
        .isThrownBy(builder::start)
        .withMessageContaining("has a character in its path");
  }

  @Test
  void dataOfAnotherMajorVersion() throws Exception {
    Files.createDirectories(folder());
    Files.createFile(folder().resolve("lock"));
    Path data = Files.createDirectory(folder().resolve("data"));
    Files.writeString(data.resolve("PG_VERSION"), "14\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().start())
        .withMessageContaining("holds data of PostgreSQL 14, but major is 18; use major(14), or");

    Files.delete(data.resolve("PG_VERSION"));
    assertThatThrownBy(() -> builder().start()).hasMessageContaining("has no PG_VERSION");
  }

  @Test
  void dataThatAreGone() throws Exception {
    Initialised.copyTo(folder());
    FileTrees.delete(folder().resolve("data"));
    assertThatThrownBy(() -> builder().start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining(folder().resolve("data") + " is missing, but has been there");
    assertThat(folder().resolve("data")).doesNotExist();
  }

  @Test
  void dataWithoutTheirPassword() throws Exception {
    Files.createDirectories(folder());
    Files.createFile(folder().resolve("lock"));
    Path data = Files.createDirectory(folder().resolve("data"));
    Files.writeString(data.resolve("PG_VERSION"), "18\n");
    assertThatThrownBy(() -> builder().start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("connection.conf is missing, and with it the password");
    Files.writeString(folder().resolve("connection.conf"), "[monotick]\nport=x\n");
    assertThatThrownBy(() -> builder().start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("lacks port, user or password");
  }

  @Test
  void aPortThatIsTaken() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      EmbeddedPostgresBuilder builder = builder().port(socket.getLocalPort());
      assertThatThrownBy(builder::start)
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("port " + socket.getLocalPort() + " on 127.0.0.1 is taken");
    }
  }

  @Test
  void numbersOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().port(65_536).start())
        .withMessageContaining("port must be between 1 and 65535, but was 65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().port(0))
        .withMessageContaining("port was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().major(13).start())
        .withMessageContaining("major must be at least 14, but was 13");
    assertThatThrownBy(() -> builder().major(99).start())
        .hasMessageContaining("no binaries of PostgreSQL 99");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fsync",
        "FSYNC",
        "synchronous_commit",
        "full_page_writes",
        "listen_addresses",
        "unix_socket_directories",
        "hba_file",
        "data_directory"
      })
  void settingsThatMakeItUnsafe(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().setting(name, "x").start())
        .withMessageContaining("cannot be changed (to x)");
  }

  @Test
  void settingsThatAreNone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().setting("max connections", "1").start())
        .withMessageContaining("setting max connections is no name of a parameter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().setting("work_mem", "1\n").start())
        .withMessageContaining("setting work_mem has a line break");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().setting("port", "5432").start())
        .withMessageContaining("use port(5432)");
  }

  @Test
  void settingsThatTheServerDoesNotKnowAreAnsweredWithItsLog() throws Exception {
    Initialised.copyTo(folder());
    EmbeddedPostgresBuilder unknown = builder().setting("max_conections", "10");
    assertThatThrownBy(unknown::start)
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("unrecognized configuration parameter \"max_conections\"");
    EmbeddedPostgresBuilder wrong = builder().setting("max_connections", "many");
    assertThatThrownBy(wrong::start)
        .hasMessageContaining("invalid value for parameter \"max_connections\": \"many\"");
    builder().start().close(); // the folder is none the worse
  }
}
