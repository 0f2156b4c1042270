package dev.monotick.chaos.storm;

import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The worker processes: one at each place, started again when it is killed. One thread. */
final class StormWorkers implements AutoCloseable {

  /** How long a worker may take to start or stop, on a machine that has other things to do. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String NEMESIS = "nemesis";

  private final DatabaseServer server;
  private final StormNetwork network;
  private final Path folder;
  private final Journal journal;
  private final List<Worker> workers = new ArrayList<>(); // by place
  private int starts;

  /** A worker. */
  private record Worker(String name, ChildProcess process) {}

  StormWorkers(DatabaseServer server, StormNetwork network, Path folder, Journal journal) {
    this.server = server;
    this.network = network;
    this.folder = folder;
    this.journal = journal;
  }

  /** Starts so many; returns when all have started. */
  void start(int count) {
    for (int place = 0; place < count; place++) {
      workers.add(launch(place));
    }
    for (Worker worker : workers) {
      awaitStart(worker);
    }
  }

  int count() {
    return workers.size();
  }

  /** Returns the name of the worker of a place. */
  String name(int place) {
    return workers.get(place).name();
  }

  /** Says whether the worker of a place has told that it started. */
  boolean hasStarted(int place) {
    String name = workers.get(place).name();
    return journal.of("started").anyMatch(entry -> entry.source().equals(name));
  }

  /** Kills the worker of a place, and starts another. */
  void kill(int place) {
    workers.get(place).process().kill();
    workers.set(place, launch(place));
  }

  void pause(int place) {
    send("pause", place);
    workers.get(place).process().pause();
  }

  void resume(int place) {
    workers.get(place).process().resume();
    send("resume", place);
  }

  /** Drops all packets between the worker of a place and the server, or none. */
  void drop(int place, boolean dropping) {
    network.drop(place, dropping);
    send(dropping ? "loss" : "healed", place);
  }

  /** Returns whether packets can be dropped. */
  boolean canDrop() {
    return network.isLossy();
  }

  private void send(String what, int place) {
    journal.add(NEMESIS, HistoryEvent.now(what, "whom", workers.get(place).name()));
  }

  /** Throws if one ended that nobody killed. */
  void requireAlive() {
    for (Worker worker : workers) {
      if (!worker.process().isAlive()) {
        throw new IllegalStateException(
            worker.name() + " ended by itself; see " + log(worker.name()));
      }
    }
  }

  /** Asks all to stop, which makes them report all there is; returns when they have ended. */
  void stop() {
    for (Worker worker : workers) {
      awaitStart(worker);
      worker.process().send("stop");
    }
    for (Worker worker : workers) {
      worker.process().awaitExit(PATIENCE);
    }
    workers.clear();
  }

  @Override
  public void close() {
    workers.forEach(worker -> worker.process().close());
    workers.clear();
  }

  private void awaitStart(Worker worker) {
    journal.await(
        "start of " + worker.name(),
        PATIENCE,
        0,
        entry -> entry.source().equals(worker.name()) && entry.is("started"));
  }

  private Worker launch(int place) {
    starts++;
    String name = "w" + (place + 1) + "." + starts;
    StormWorkerSettings settings =
        new StormWorkerSettings(
            name, network.url(place), network.logUrl(place), server.user(), server.password());
    JavaProgram program =
        new JavaProgram(
            name,
            StormWorkerProcess.class,
            settings.toArguments(),
            Map.of(),
            network.wrapper(place),
            log(name));
    return new Worker(
        name, ChildProcess.start(program, line -> journal.add(name, HistoryEvent.parse(line))));
  }

  private Path log(String name) {
    return folder.resolve(name + ".err");
  }
}
