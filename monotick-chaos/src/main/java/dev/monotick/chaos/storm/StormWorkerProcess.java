package dev.monotick.chaos.storm;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import dev.monotick.chaos.process.StallWatch;
import dev.monotick.chaos.workload.PlannedJobHandler;
import dev.monotick.chaos.workload.PlannedJobKinds;
import dev.monotick.event.MonotickEvent;
import dev.monotick.job.JobKind;
import dev.monotick.postgres.PostgresStore;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A worker as a process of its own. It hears {@code stop}. */
public final class StormWorkerProcess {

  private static final Duration GRACE = Duration.ofSeconds(10);

  private StormWorkerProcess() {}

  /** Starts a worker; see {@link StormWorkerSettings#toArguments}. */
  public static void main(String[] arguments) {
    StormWorkerSettings settings = StormWorkerSettings.of(arguments);
    HistoryWriter teller = new HistoryWriter();
    PlannedJobHandler handlers =
        new PlannedJobHandler(
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
                    .membershipTiming(StormWorkerSettings.MEMBERSHIP)
                    .build())
            .concurrency(StormWorkerSettings.CONCURRENCY)
            .replicaName(settings.name());
    for (JobKind<String> kind : PlannedJobKinds.ALL) {
      builder.handler(kind, handlers);
    }
    Monotick engine = builder.build();
    engine.subscribe(event -> received(event, teller));
    StallWatch.start(teller);
    engine.start();
    teller.write("started", "id", engine.replicaId());
    ParentProcess.listen(line -> stop(engine, teller));
  }

  private static void received(MonotickEvent event, HistoryWriter teller) {
    if (event instanceof MonotickEvent.JobEndRefused refused) {
      teller.write("refused", "job", refused.id(), "kind", refused.kind(), "run", refused.run());
    }
  }

  private static void stop(Monotick engine, HistoryWriter teller) {
    StopReport report = engine.stop(GRACE);
    teller.write("stopped", "clean", report.isClean());
    Runtime.getRuntime().halt(0);
  }

  private static <D extends PGSimpleDataSource> D to(
      String url, StormWorkerSettings settings, D dataSource) {
    dataSource.setUrl(url);
    dataSource.setUser(settings.user());
    dataSource.setPassword(settings.password());
    return dataSource;
  }
}
