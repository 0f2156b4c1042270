package dev.monotick.chaos.storm;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.chaos.history.Teller;
import dev.monotick.chaos.process.Parent;
import dev.monotick.event.MonotickEvent;
import dev.monotick.job.JobKind;
import dev.monotick.postgres.PostgresStore;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A worker as a process of its own. It hears {@code stop}. */
public final class WorkerProcess {

  private static final Duration GRACE = Duration.ofSeconds(10);

  private WorkerProcess() {}

  /** Starts a worker; see {@link WorkerSettings#toArguments}. */
  public static void main(String[] arguments) {
    WorkerSettings settings = WorkerSettings.of(arguments);
    Teller teller = new Teller();
    StormHandlers handlers =
        new StormHandlers(
            new TableRunLog(to(settings.logUrl(), settings, new PGSimpleDataSource())),
            to(settings.url(), settings, new EffectConnections()));
    MonotickBuilder builder =
        Monotick.builder()
            .store(
                PostgresStore.builder()
                    .url(settings.url())
                    .user(settings.user())
                    .password(settings.password())
                    .schema(StormTables.STORE)
                    .membershipTiming(WorkerSettings.MEMBERSHIP)
                    .build())
            .concurrency(WorkerSettings.CONCURRENCY)
            .replicaName(settings.name());
    for (JobKind<String> kind : StormKinds.ALL) {
      builder.handler(kind, handlers);
    }
    Monotick engine = builder.build();
    engine.subscribe(event -> told(event, teller));
    StallWatch.start(teller);
    engine.start();
    teller.tell("started", "id", engine.replicaId());
    Parent.listen(line -> stop(engine, teller));
  }

  private static void told(MonotickEvent event, Teller teller) {
    if (event instanceof MonotickEvent.JobEndRefused refused) {
      teller.tell("refused", "job", refused.id(), "kind", refused.kind(), "run", refused.run());
    }
  }

  private static void stop(Monotick engine, Teller teller) {
    StopReport report = engine.stop(GRACE);
    teller.tell("stopped", "clean", report.isClean());
    Runtime.getRuntime().halt(0);
  }

  private static <D extends PGSimpleDataSource> D to(
      String url, WorkerSettings settings, D dataSource) {
    dataSource.setUrl(url);
    dataSource.setUser(settings.user());
    dataSource.setPassword(settings.password());
    return dataSource;
  }
}
