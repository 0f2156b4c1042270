package dev.monotick.chaos.replica;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.chaos.history.Teller;
import dev.monotick.chaos.process.Parent;
import dev.monotick.chaos.storm.JobWorkload;
import dev.monotick.chaos.storm.StallWatch;
import dev.monotick.task.Task;
import dev.monotick.time.Ticker;
import dev.monotick.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A replica as a process of its own. It tells its history on standard output and hears {@code
 * stop}, which it obeys as a rolling deployment would have it: gracefully; and what people ask of
 * an engine: see {@link Requests}.
 */
public final class ReplicaProcess {

  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final int CONCURRENCY = 8;

  private ReplicaProcess() {}

  /** Starts a replica; see {@link ReplicaSettings#toArguments}. */
  public static void main(String[] arguments) {
    ReplicaSettings settings = ReplicaSettings.of(arguments);
    double rate = settings.launch().rate();
    Teller teller = new Teller();
    TimeSource time = SkewedTime.of(time(), rate);
    AppPool pool = AppPool.of(settings);
    TermWatch terms = new TermWatch(teller, rate);
    MonotickBuilder builder =
        Monotick.builder()
            .store(Stores.open(settings, time))
            .time(time)
            .concurrency(CONCURRENCY)
            .replicaName(settings.launch().called());
    for (Task task : new Workload(settings, teller, terms, pool).tasks()) {
      builder.task(task);
    }
    if (settings.traits().jobs()) {
      JobWorkload.handle(builder, teller, pool);
    }
    Monotick engine = builder.build();
    engine.subscribe(terms);
    engine.subscribe(new EventTeller(teller));
    StallWatch.start(teller);
    terms.start();
    engine.start();
    teller.tell(
        "started",
        "id",
        engine.replicaId(),
        "pid",
        ProcessHandle.current().pid(),
        "rate",
        rate,
        "edition",
        settings.launch().edition());
    Requests requests = new Requests(engine, teller, pool);
    Parent.listen(
        line -> {
          if (line.equals("stop")) {
            stop(engine, teller);
          } else {
            requests.told(line);
          }
        });
  }

  private static TimeSource time() {
    String clock = System.getenv(SteppedClock.FILE);
    return clock == null
        ? TimeSource.system()
        : new TimeSource(new SteppedClock(Path.of(clock)), Ticker.system());
  }

  private static void stop(Monotick engine, Teller teller) {
    teller.tell("stopping");
    StopReport report = engine.stop(GRACE);
    teller.tell("stopped", "clean", report.isClean());
    Runtime.getRuntime().halt(0);
  }
}
