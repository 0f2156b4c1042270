package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.ContenderMain;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of a contender, which does what it is told. A command is {@linkplain #send told} and
 * its {@linkplain #receive answer heard} apart, so that several processes can do something at once.
 * Not thread-safe.
 */
final class ContenderProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LAST_WORDS = 2000;

  private final Contender contender;
  private final Process process;
  private final Path errors;
  private final BufferedReader in;
  private final BufferedWriter out;

  private ContenderProcess(Contender contender, Process process, Path errors) {
    this.contender = contender;
    this.process = process;
    this.errors = errors;
    this.in =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.out =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a process on a database and waits until it listens. */
  static ContenderProcess start(Contender contender, BenchDatabase database) throws IOException {
    Path errors = Files.createTempFile("monotick-bench-" + contender.name(), ".log");
    ProcessBuilder builder = new ProcessBuilder(command(contender));
    database.environment().forEach(builder.environment()::put);
    Process process = builder.redirectError(errors.toFile()).start();
    ContenderProcess started = new ContenderProcess(contender, process, errors);
    try {
      started.request("hello");
      return started;
    } catch (IOException e) {
      started.close();
      throw e;
    }
  }

  private static List<String> command(Contender contender) {
    return switch (contender.platform()) {
      case JAVA ->
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-Xmx1g",
              "-cp",
              System.getProperty("java.class.path"),
              ContenderMain.class.getName(),
              contender.name());
      case NODE ->
          List.of(
              NodePeers.node(), NodePeers.folder().resolve(contender.name() + ".mjs").toString());
    };
  }

  /** Tells a command and waits for its answer. */
  String request(String command) throws IOException {
    send(command);
    return receive();
  }

  void send(String command) throws IOException {
    try {
      out.write(command + "\n");
      out.flush();
    } catch (IOException e) {
      throw new IOException(contender.name() + " has ended: " + lastWords(), e);
    }
  }

  String receive() throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith("@failed")) {
        throw new IOException(contender.name() + ": " + line.substring(1) + "\n" + lastWords());
      }
      if (line.startsWith("@")) {
        return line.substring(1);
      }
    }
    throw new IOException(contender.name() + " has ended: " + lastWords());
  }

  /** Returns the processor time that it has used. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Returns the end of what it wrote to standard error. */
  String lastWords() throws IOException {
    String all = Files.readString(errors);
    return all.substring(Math.max(0, all.length() - LAST_WORDS));
  }

  /** Lets it end in good order, and ends it if it does not. */
  @Override
  public void close() throws IOException {
    try {
      if (process.isAlive()) {
        send("stop");
      }
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } finally {
      Files.deleteIfExists(errors);
    }
  }
}
