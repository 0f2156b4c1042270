package dev.monotick.chaos.replica;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import dev.monotick.chaos.process.StallWatch;
import dev.monotick.chaos.workload.JobWorkload;
import dev.monotick.spi.time.Ticker;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A replica as a process of its own. It tells its history on standard output and hears {@code
 * stop}, which it obeys as a rolling deployment would have it: gracefully; and what people ask of
 * an engine: see {@link TaskCommands}.
 */
public final class ReplicaProcess {

  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final int CONCURRENCY = 8;

  private ReplicaProcess() {}

  /** Starts a replica; see {@link ReplicaProcessSettings#toArguments}. */
  public static void main(String[] arguments) {
    ReplicaProcessSettings settings = ReplicaProcessSettings.of(arguments);
    double rate = settings.launch().rate();
    HistoryWriter teller = new HistoryWriter();
    TimeSource time = SkewedTime.of(time(), rate);
    AppPool pool = AppPool.of(settings);
    TermHistoryWriter terms = new TermHistoryWriter(teller, rate);
    MonotickBuilder builder =
        Monotick.builder()
            .store(StoreUnderChaos.open(settings, time))
            .time(time)
            .concurrency(CONCURRENCY)
            .replicaName(settings.launch().called());
    for (Task task : new TaskWorkload(settings, teller, terms, pool).tasks()) {
      builder.task(task);
    }
    if (settings.traits().jobs()) {
      JobWorkload.handle(builder, teller, pool);
    }
    Monotick engine = builder.build();
    engine.subscribe(terms);
    engine.subscribe(new TickHistoryWriter(teller));
    StallWatch.start(teller);
    terms.start();
    engine.start();
    teller.write(
        "started",
        "id",
        engine.replicaId(),
        "pid",
        ProcessHandle.current().pid(),
        "rate",
        rate,
        "edition",
        settings.launch().edition());
    TaskCommands requests = new TaskCommands(engine, teller, pool);
    ParentProcess.listen(
        line -> {
          if (line.equals("stop")) {
            stop(engine, teller);
          } else {
            requests.received(line);
          }
        });
  }

  private static TimeSource time() {
    String clock = System.getenv(SteppedClock.FILE);
    return clock == null
        ? TimeSource.system()
        : new TimeSource(new SteppedClock(Path.of(clock)), Ticker.system());
  }

  private static void stop(Monotick engine, HistoryWriter teller) {
    teller.write("stopping");
    StopReport report = engine.stop(GRACE);
    teller.write("stopped", "clean", report.isClean());
    Runtime.getRuntime().halt(0);
  }
}
