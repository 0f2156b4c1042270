package dev.monotick.chaos.storm;

import dev.monotick.MonotickBuilder;
import dev.monotick.chaos.history.Teller;
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
  public static void handle(MonotickBuilder builder, Teller teller, DataSource dataSource) {
    StormHandlers handlers = new StormHandlers(new TellingRunLog(teller), dataSource);
    for (JobKind<String> kind : StormKinds.ALL) {
      builder.handler(kind, handlers);
    }
  }

  /** Tells the parent process, with the time at which it is called. */
  private record TellingRunLog(Teller teller) implements RunLog {

    @Override
    public void begin(JobContext<String> job) {
      write(job, "begin");
    }

    @Override
    public void write(JobContext<String> job, String word) {
      teller.tell(
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
          job.headers().getOrDefault(StormKinds.KEY, ""),
          "word",
          word);
    }
  }
}
