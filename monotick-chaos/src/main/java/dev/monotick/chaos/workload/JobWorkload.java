package dev.monotick.chaos.workload;

import dev.monotick.MonotickBuilder;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobKind;
import javax.sql.DataSource;

/** The jobs of the storm, for replicas that tell their history instead of writing into tables. */
public final class JobWorkload {

  private JobWorkload() {}

  /**
   * Adds handlers for all kinds.
   *
   * @param dataSource for effects, which commit with the success of their jobs
   */
  public static void handle(MonotickBuilder builder, HistoryWriter teller, DataSource dataSource) {
    PlannedJobHandler handlers = new PlannedJobHandler(new TellingRunLog(teller), dataSource);
    for (JobKind<String> kind : PlannedJobKinds.ALL) {
      builder.handler(kind, handlers);
    }
  }

  /** Tells the parent process, with the time at which it is called. */
  private record TellingRunLog(HistoryWriter teller) implements RunLog {

    @Override
    public void begin(JobContext<String> job) {
      write(job, "begin");
    }

    @Override
    public void write(JobContext<String> job, String word) {
      teller.write(
          "job",
          "id",
          job.id(),
          "run",
          job.run(),
          "attempt",
          job.attempt(),
          "kind",
          job.lane().kind(),
          "key",
          job.headers().getOrDefault(PlannedJobKinds.KEY, ""),
          "word",
          word);
    }
  }
}
