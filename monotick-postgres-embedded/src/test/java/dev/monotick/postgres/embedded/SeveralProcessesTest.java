package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a folder, and how each of them may end. */
@Tag("thorough")
@Timeout(120)
class SeveralProcessesTest {

  @TempDir(factory = OpenFolder.class)
  Path parent;

  private Path folder() {
    return parent.resolve("server");
  }

  private EmbeddedPostgres start() {
    return EmbeddedPostgres.builder().folder(folder()).start();
  }

  @BeforeEach
  void initialise(TestInfo test) throws IOException {
    if (!test.getTags().contains("new-folder")) {
      Initialised.copyTo(folder());
    }
  }

  @Test
  void theSecondGetsTheServerOfTheFirstAndTheLastOneStopsIt() throws Exception {
    EmbeddedPostgres here = start();
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      assertThat(answer.attached()).isTrue();
      assertThat(answer.url()).isEqualTo(here.url());
      assertThat(answer.password()).isEqualTo(here.password());

      here.close();
      assertThat(Processes.isAlive(answer.postmaster())).isTrue();
      Sql.connect(answer.url(), here.user(), answer.password()).close();

      other.closeServer();
      assertThat(Processes.isAlive(answer.postmaster())).isFalse();
      other.exit();
    }
  }

  @Test
  void aProcessThatEndsInGoodOrderLeavesNoServerBehind() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      assertThat(answer.attached()).isFalse();
      other.exit();
      assertThat(Polling.await(30, () -> !Processes.isAlive(answer.postmaster()))).isTrue();
      assertThat(Postmaster.file(new ServerFolder(folder()))).doesNotExist();
    }
  }

  /** Somebody who has not started the server does not count, but is not thrown out too early. */
  @Test
  void aClientOfNobodyDoesNotKeepTheServer() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      try (Connection client = Sql.connect(answer.url(), "postgres", answer.password())) {
        other.exit();
        assertThat(Polling.await(30, () -> !Processes.isAlive(answer.postmaster()))).isTrue();
        assertThat(client.isValid(1)).isFalse();
      }
      assertThat(Postmaster.file(new ServerFolder(folder()))).doesNotExist();
    }
  }

  /** The next process waits for the one before it, which waits for nobody. */
  @Test
  void aProcessThatEndsCanStillWorkWithItsServer() throws Exception {
    FutureTask<EmbeddedPostgres> next = new FutureTask<>(this::start);
    Thread thread = new Thread(next);
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      other.beginExitWithWorkLeft();
      assertThat(Polling.await(30, this::isStopping)).isTrue();
      thread.start();
      assertThat(Polling.await(30, () -> thread.getState() == Thread.State.TIMED_WAITING)).isTrue();

      other.finishWork();

      try (EmbeddedPostgres here = next.get()) {
        assertThat(here.isAttached()).isFalse();
        assertThat(here.url()).isEqualTo(answer.url());
        assertThat(Sql.value(here, "select one from last_work")).isEqualTo("1");
      }
    }
  }

  private boolean isStopping() {
    try {
      return Postmaster.read(new ServerFolder(folder())).orElseThrow().isStopping();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProcessThatEndsLeavesTheServerToTheOthers() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      try (EmbeddedPostgres here = start()) {
        assertThat(here.isAttached()).isTrue();
        other.exit();
        assertThat(here.isRunning()).isTrue();
        assertThat(Sql.value(here, "select 1")).isEqualTo("1");
      }
      assertThat(Processes.isAlive(answer.postmaster())).isFalse();
    }
  }

  @Test
  void theServerOfAKilledProcessIsFoundAgain() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      other.kill();
      assertThat(Processes.isAlive(answer.postmaster())).isTrue();
      try (EmbeddedPostgres here = start()) {
        assertThat(here.isAttached()).isTrue();
        assertThat(here.url()).isEqualTo(answer.url());
        assertThat(here.password()).isEqualTo(answer.password());
        assertThat(Sql.value(here, "select 1")).isEqualTo("1");
      }
      assertThat(Processes.isAlive(answer.postmaster())).isFalse();
    }
  }

  @Test
  void theServerOfAKilledProcessGetsTheSettingsThatAreAskedForNow() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      other.kill();
      try (EmbeddedPostgres here =
          EmbeddedPostgres.builder().folder(folder()).setting("max_connections", "22").start()) {
        assertThat(here.isAttached()).isFalse();
        assertThat(here.url()).isEqualTo(answer.url());
        assertThat(Sql.value(here, "show max_connections")).isEqualTo("22");
      }
    }
  }

  @Test
  void recoversAfterBothProcessAndServerWereKilled() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      OtherProcess.Answer answer = other.answer();
      try (var connection = Sql.connect(answer.url(), "postgres", answer.password());
          var statement = connection.createStatement()) {
        statement.execute("create table kept as select 1 as one");
      }
      other.kill();
      ProcessHandle.of(answer.postmaster()).orElseThrow().destroyForcibly();
      assertThat(Polling.await(30, () -> !Processes.isAlive(answer.postmaster()))).isTrue();
      try (EmbeddedPostgres here = start()) {
        assertThat(here.isAttached()).isFalse();
        assertThat(here.url()).isEqualTo(answer.url());
        assertThat(Sql.value(here, "select one from kept")).isEqualTo("1");
      }
    }
  }

  @Test
  @Tag("new-folder")
  void ofThoseWhoStartAtOnceOneInitialisesAndAllGetTheSameServer() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (OtherProcess one = OtherProcess.starting(folder());
        OtherProcess two = OtherProcess.starting(folder())) {
      List<Future<EmbeddedPostgres>> futures = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        futures.add(threads.submit(this::start));
      }
      List<EmbeddedPostgres> here = new ArrayList<>();
      for (Future<EmbeddedPostgres> future : futures) {
        here.add(future.get());
      }
      List<OtherProcess.Answer> there = List.of(one.answer(), two.answer());

      assertThat(
              Stream.concat(
                  here.stream().map(EmbeddedPostgres::url),
                  there.stream().map(OtherProcess.Answer::url)))
          .containsOnly(here.get(0).url());
      assertThat(
              Stream.concat(
                      here.stream().map(EmbeddedPostgres::isAttached),
                      there.stream().map(OtherProcess.Answer::attached))
                  .filter(attached -> !attached))
          .hasSize(1);
      here.forEach(EmbeddedPostgres::close);
      one.exit();
      two.exit();
      assertThat(Polling.await(30, () -> !Processes.isAlive(there.get(0).postmaster()))).isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  @Tag("new-folder")
  void startsAfterAProcessWasKilledWhileItInitialised() throws Exception {
    try (OtherProcess other = OtherProcess.starting(folder())) {
      assertThat(Polling.await(60, this::isBeingInitialised)).isTrue();
      other.kill();
    }
    assertThat(folder().resolve("data")).doesNotExist();
    Files.delete(folder().resolve("lock")); // somebody tidies up, and does not get everything
    Files.delete(folder().resolve("connection.conf"));
    try (EmbeddedPostgres here = start()) {
      assertThat(here.isAttached()).isFalse();
      assertThat(Sql.value(here, "select 1")).isEqualTo("1");
    }
    start().close(); // what could not be deleted before is now
    try (Stream<Path> files = Files.list(folder())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .noneMatch(name -> name.startsWith(ServerFolder.UNFINISHED));
    }
  }

  private boolean isBeingInitialised() {
    try (Stream<Path> files = Files.walk(folder())) {
      return files.anyMatch(file -> file.endsWith("data/global"));
    } catch (IOException | UncheckedIOException e) {
      return false; // not yet there, or changing while we look
    }
  }
}
