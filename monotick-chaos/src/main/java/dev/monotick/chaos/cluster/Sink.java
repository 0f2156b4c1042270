package dev.monotick.chaos.cluster;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.sink.EffectFile;
import dev.monotick.chaos.sink.SinkProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A sink that runs as a process of its own. */
public final class Sink implements AutoCloseable {

  /** The name of the sink in a journal. */
  public static final String SOURCE = "sink";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Journal journal;
  private final Path file;
  private final ChildProcess process;
  private final int port;

  /** Starts one that keeps its effects in a folder. */
  public Sink(Path folder, Journal journal) {
    this.journal = journal;
    this.file = folder.resolve("effects.log");
    this.process =
        ChildProcess.start(
            JavaProgram.of(
                SOURCE, SinkProcess.class, List.of(file.toString()), folder.resolve("sink.err")),
            line -> journal.add(SOURCE, HistoryEvent.parse(line)));
    Journal.Entry listening = journal.await("sink", PATIENCE, 0, entry -> entry.is("listening"));
    this.port = Integer.parseInt(listening.event().get("port"));
  }

  /** Returns the port it listens on, at all addresses. */
  public int port() {
    return port;
  }

  /** Returns all effects, as they are on disk. */
  public List<HistoryEvent> effects() {
    return EffectFile.read(file);
  }

  /** Has the next announcement of an effect of that task go unanswered. */
  public void hold(String task) {
    int mark = journal.mark();
    process.send("hold " + task);
    journal.await("word from the sink", PATIENCE, mark, entry -> entry.is("holding"));
  }

  /** Waits until an announcement is held up, and returns it. */
  public HistoryEvent awaitHeld(String task, int mark, Duration patience) {
    return journal
        .await(
            "announcement of " + task,
            patience,
            mark,
            entry -> entry.is("held") && entry.event().has("task", task))
        .event();
  }

  /** Answers the announcement that is held up. */
  public void release(String task) {
    int mark = journal.mark();
    process.send("release " + task);
    journal.await("word from the sink", PATIENCE, mark, entry -> entry.is("released"));
  }

  @Override
  public void close() {
    process.close();
  }
}
