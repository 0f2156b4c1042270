package dev.monotick.bench.contender;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jspecify.annotations.Nullable;

/** JobRunr, the open-source edition: job requests, which are cheaper for it than lambdas. */
final class JobRunrEngine implements JobEngine {

  private static final int CONNECTIONS = 32;

  /** Its shortest. */
  private static final Duration POLL = Duration.ofSeconds(5);

  private final HikariDataSource pool;
  private @Nullable JobRequestScheduler scheduler;
  private boolean works;

  /** The job. JobRunr reads and writes it as JSON. */
  public static final class Numbered implements JobRequest {

    private static final long serialVersionUID = 1L;

    private int number;

    /** For JobRunr. */
    public Numbered() {}

    Numbered(int number) {
      this.number = number;
    }

    @Override
    @SuppressWarnings("rawtypes") // as JobRunr has it
    public Class<? extends JobRequestHandler> getJobRequestHandler() {
      return Handler.class;
    }
  }

  /** What runs the job. */
  public static final class Handler implements JobRequestHandler<Numbered> {

    private final RunCounter tally;

    Handler(RunCounter tally) {
      this.tally = tally;
    }

    @Override
    public void run(Numbered request) {
      tally.ran(request.number);
    }
  }

  JobRunrEngine(DatabaseAccess connect) {
    pool = connect.pool(CONNECTIONS);
  }

  @Override
  public void install(EngineUse use) {
    scheduler();
  }

  @Override
  public void one(int number) {
    scheduler().enqueue(new Numbered(number));
  }

  @Override
  public void many(int from, int count) {
    scheduler().enqueue(IntStream.range(from, from + count).mapToObj(Numbered::new));
  }

  @Override
  public void work(EngineUse use, RunCounter tally) {
    BackgroundJobServerConfiguration server =
        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration();
    works = true;
    Handler handler = new Handler(tally);
    configuration()
        .useJobActivator(
            new org.jobrunr.server.JobActivator() {
              @Override
              public <T> T activateJob(Class<T> type) {
                return type.cast(handler);
              }
            })
        .useBackgroundJobServer(use == EngineUse.IDLE ? server : server.andPollInterval(POLL))
        .initialize();
  }

  private synchronized JobRequestScheduler scheduler() {
    if (scheduler == null) {
      scheduler = configuration().initialize().getJobRequestScheduler();
    }
    return scheduler;
  }

  private JobRunrConfiguration configuration() {
    return JobRunr.configure().useStorageProvider(SqlStorageProviderFactory.using(pool));
  }

  @Override
  public void rest() {
    if (works) {
      JobRunr.destroy();
      works = false;
    }
  }

  @Override
  public void close() {
    rest();
    pool.close();
  }
}
