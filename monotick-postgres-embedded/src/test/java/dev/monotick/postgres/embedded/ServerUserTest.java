package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whom a server runs as: for root somebody else, for all others themselves. */
@Tag("thorough")
@Timeout(120)
class ServerUserTest {

  @TempDir(factory = OpenFolder.class)
  Path open;

  private static void assumeRoot() throws IOException {
    assumeTrue(ServerUser.isRoot(), "only root can run programs as other users");
  }

  private static Object owner(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid");
  }

  private static EmbeddedPostgres start(Path folder) {
    return EmbeddedPostgres.builder().folder(folder).start();
  }

  @Test
  void rootsServerRunsAsAnAccountThatOwnsTheDataAndNothingElse() throws Exception {
    assumeRoot();
    Path folder = open.resolve("server");
    for (int round = 1; round <= 2; round++) { // the second time, the owner of the data decides
      try (EmbeddedPostgres server = start(folder)) {
        assertThat(Sql.value(server, "select 1")).isEqualTo("1");
        assertThat(owner(folder.resolve("data"))).isNotEqualTo(0);
        assertThat(owner(server.log())).isEqualTo(owner(folder.resolve("data")));
        assertThat(owner(folder)).isEqualTo(0);
        assertThat(owner(folder.resolve("connection.conf"))).isEqualTo(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
            .isEqualTo("rwx--x---");
        long postmaster = Postmaster.read(new ServerFolder(folder)).orElseThrow().pid();
        assertThat(owner(Path.of("/proc", Long.toString(postmaster))))
            .isEqualTo(owner(folder.resolve("data")));
      }
    }
  }

  @Test
  void rootsServerWorksBelowAFolderThatIsClosedToOthers() throws Exception {
    assumeRoot();
    Path closed = Files.createDirectory(open.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    assumeTrue(
        Commands.succeeds(List.of("unshare", "--user", "--map-user=1", "--map-group=1", "true")),
        "this machine allows no user namespaces");
    Path folder = closed.resolve("server");
    for (int round = 1; round <= 2; round++) {
      try (EmbeddedPostgres server = start(folder)) {
        assertThat(Sql.value(server, "select 1")).isEqualTo("1");
        assertThat(owner(folder.resolve("data"))).isEqualTo(0);
        long postmaster = Postmaster.read(new ServerFolder(folder)).orElseThrow().pid();
        assertThat(Files.readString(Path.of("/proc", Long.toString(postmaster), "status")))
            .containsPattern("CapEff:\\s+0+\n");
      }
    }
  }

  @Test
  void othersRunTheServerThemselves() throws Exception {
    assumeRoot();
    Path home = Files.createDirectory(open.resolve("home"));
    Commands.run(List.of("chown", "nobody", home.toString()));
    String classPath = classPath();
    List<String> asNobody = asUser(Commands.run(List.of("id", "-u", "nobody")).output());
    try (OtherProcess other = OtherProcess.starting(asNobody, classPath, home.resolve("db"))) {
      OtherProcess.Answer answer = other.answer();
      Sql.connect(answer.url(), "postgres", answer.password()).close();
      assertThat(owner(home.resolve("db/data"))).isEqualTo(owner(home)).isNotEqualTo(0);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("db"))))
          .isEqualTo("rwx------");
      other.closeServer();
      assertThat(Processes.isAlive(answer.postmaster())).isFalse();
      other.exit();
    }
    rootCanUseTheServerOfAnother(home.resolve("db"));
    Path closed = Files.createDirectory(open.resolve("closed"));
    try (OtherProcess other = OtherProcess.starting(asNobody, classPath, closed)) {
      assertThat(other.refusal())
          .contains("folder " + closed + " cannot be written to by this user; name another folder");
    }
  }

  private static void rootCanUseTheServerOfAnother(Path folder) throws Exception {
    Object owner = owner(folder);
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().folder(folder).port(Ports.anyFree()).start()) {
      assertThat(Sql.value(server, "select 1")).isEqualTo("1");
    }
    for (String file : List.of(".", "data", "connection.conf", "server.log", "lock")) {
      assertThat(owner(folder.resolve(file))).as(file).isEqualTo(owner);
    }
  }

  /** As in containers that run with any number as their user. */
  @Test
  void usersWithoutANameRunTheServerToo() throws Exception {
    assumeRoot();
    String nameless = "54321";
    assumeTrue(
        Commands.succeeds(
            Stream.concat(
                    asUser(nameless).stream(),
                    List.of("unshare", "--user", "--map-user=1", "--map-group=1", "true").stream())
                .toList()),
        "this machine allows no user namespaces");
    Path home = Files.createDirectory(open.resolve("home"));
    Commands.run(List.of("chown", nameless, home.toString()));
    try (OtherProcess other =
        OtherProcess.starting(asUser(nameless), classPath(), home.resolve("db"))) {
      OtherProcess.Answer answer = other.answer();
      Sql.connect(answer.url(), "postgres", answer.password()).close();
      other.closeServer();
      other.exit();
    }
  }

  private static List<String> asUser(String uid) {
    return List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--");
  }

  /** Copies what the other process needs: Maven keeps it in a home that is closed to others. */
  private String classPath() throws IOException {
    List<String> copies = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path original = Path.of(element);
      boolean needed = !element.matches(".*(junit|assertj|archunit|arm64|-14\\.).*");
      if (needed && Files.exists(original)) {
        Path copy = open.resolve("classes-" + copies.size());
        if (Files.isDirectory(original)) {
          Commands.run(List.of("cp", "-R", element, copy.toString()));
        } else {
          copy = Files.createDirectory(copy).resolve(original.getFileName());
          Files.copy(original, copy);
        }
        copies.add(copy.toString());
      }
    }
    Commands.run(List.of("chmod", "-R", "a+rX", open.toString()));
    return String.join(File.pathSeparator, copies);
  }
}
