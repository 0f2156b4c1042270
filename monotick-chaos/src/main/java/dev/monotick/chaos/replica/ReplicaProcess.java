package dev.monotick.chaos.replica;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.chaos.history.Teller;
import dev.monotick.chaos.process.Parent;
import dev.monotick.task.Task;
import dev.monotick.time.Ticker;
import dev.monotick.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A replica as a process of its own. It tells its history on standard output and hears {@code
 * stop}, which it obeys as a rolling deployment would have it: gracefully.
 */
public final class ReplicaProcess {

  private static final Duration GRACE = Duration.ofSeconds(5);

  private ReplicaProcess() {}

  /** Starts a replica; see {@link ReplicaSettings#toArguments}. */
  public static void main(String[] arguments) {
    ReplicaSettings settings = ReplicaSettings.of(arguments);
    Teller teller = new Teller();
    TimeSource time = time();
    MonotickBuilder builder =
        Monotick.builder()
            .store(Stores.open(settings, time))
            .time(time)
            .replicaName(settings.name());
    for (Task task : new Workload(settings).tasks()) {
      builder.task(task);
    }
    Monotick engine = builder.build();
    TermWatch terms = new TermWatch(teller);
    engine.subscribe(terms);
    engine.subscribe(new EventTeller(teller));
    terms.start();
    engine.start();
    teller.tell("started", "id", engine.replicaId(), "pid", ProcessHandle.current().pid());
    Parent.listen(line -> told(line, engine, teller));
  }

  private static TimeSource time() {
    String clock = System.getenv(SteppedClock.FILE);
    return clock == null
        ? TimeSource.system()
        : new TimeSource(new SteppedClock(Path.of(clock)), Ticker.system());
  }

  private static void told(String line, Monotick engine, Teller teller) {
    if (!line.equals("stop")) {
      throw new IllegalArgumentException("what is " + line + "?");
    }
    teller.tell("stopping");
    StopReport report = engine.stop(GRACE);
    teller.tell("stopped", "clean", report.isClean());
    Runtime.getRuntime().halt(0);
  }
}
