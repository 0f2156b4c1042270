package dev.monotick.postgres.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM that starts a server on a folder and does as it is told. */
final class OtherProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private OtherProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
  }

  /** What it says about its server. */
  record Answer(String url, String password, boolean attached, long postmaster) {}

  static OtherProcess starting(Path folder) throws IOException {
    return starting(List.of(), System.getProperty("java.class.path"), folder);
  }

  /**
   * @param prefix what to put in front of the command, such as a program that runs it as another
   */
  static OtherProcess starting(List<String> prefix, String classPath, Path folder)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
    command.add("-Dorg.slf4j.simpleLogger.logFile=System.err");
    command.addAll(List.of(Main.class.getName(), folder.toString()));
    return new OtherProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits until it has started or found its server. */
  Answer answer() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("ready ")) {
      throw new AssertionError("the other process said: " + line);
    }
    String[] words = line.split(" ", -1);
    return new Answer(words[1], words[2], Boolean.parseBoolean(words[3]), Long.parseLong(words[4]));
  }

  /** Waits until it has failed to start a server, and returns what it was told. */
  String refusal() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("failed ")) {
      throw new AssertionError("the other process said: " + line);
    }
    return line;
  }

  /** Lets it call close on its server; it goes on living. */
  void closeServer() throws IOException {
    tell("close");
    String line = output.readLine();
    if (!"closed".equals(line)) {
      throw new AssertionError("the other process said: " + line);
    }
  }

  /**
   * Lets it end in good order, but with last work on its server that waits for a word from here.
   */
  void beginExitWithWorkLeft() throws IOException {
    tell("exit-with-work-left");
  }

  /** Lets it do its last work, close its server and end. */
  void finishWork() throws IOException, InterruptedException {
    tell("go");
    String line = output.readLine();
    if (!"worked and closed".equals(line)) {
      throw new AssertionError("the other process said: " + line);
    }
    awaitEnd();
  }

  /** Lets it end in good order, without a word to its server. */
  void exit() throws IOException, InterruptedException {
    tell("exit");
    awaitEnd();
  }

  /** Ends it as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the other process does not end");
    }
  }

  private void tell(String word) throws IOException {
    Writer input = process.outputWriter(UTF_8);
    input.write(word + "\n");
    input.flush();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** What the other process runs. */
  static final class Main {

    private Main() {}

    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      EmbeddedPostgres server;
      try {
        server = EmbeddedPostgres.builder().folder(folder).start();
      } catch (RuntimeException e) {
        System.out.println("failed " + e.getMessage());
        return;
      }
      Postmaster postmaster = Postmaster.read(new ServerFolder(folder)).orElseThrow();
      System.out.println(
          String.join(
              " ",
              "ready",
              server.url(),
              server.password(),
              Boolean.toString(server.isAttached()),
              Long.toString(postmaster.pid())));
      try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
        for (String word; (word = input.readLine()) != null && !word.equals("exit"); ) {
          if (word.equals("exit-with-work-left")) {
            Connection connection = Sql.connect(server);
            Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> workAndClose(input, connection, server)));
            System.exit(0);
          }
          server.close();
          System.out.println("closed");
        }
      }
    }

    private static void workAndClose(
        BufferedReader input, Connection connection, EmbeddedPostgres server) {
      try (Statement statement = connection.createStatement()) {
        input.readLine();
        statement.execute("create table last_work as select 1 as one");
        server.close();
        System.out.println("worked and closed");
      } catch (IOException | SQLException e) {
        System.out.println("failed " + e.getMessage());
      }
    }
  }
}
