package dev.monotick.bench.contender;

import dev.monotick.Monotick;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Monotick with its default settings: a kind whose payload is the number, in a record. */
final class MonotickEngine implements JobEngine {

  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final JobKind<Numbered> KIND = JobKind.named("bench", Numbered.class);

  private final PostgresStore store;
  private final Jobs jobs;
  private final LimitedJobs limited = new LimitedJobs();
  private @Nullable Monotick engine;

  /**
   * The payload.
   *
   * @param number the job's number
   */
  record Numbered(int number) {}

  MonotickEngine(DatabaseAccess connect) {
    store =
        PostgresStore.builder()
            .url(connect.url())
            .user(connect.user())
            .password(connect.password())
            .build();
    jobs = Monotick.jobs(store);
  }

  @Override
  public void install(EngineUse use) {
    // The store has done it.
  }

  @Override
  public void one(int number) {
    jobs.enqueue(KIND.of(new Numbered(number)));
  }

  @Override
  public void many(int from, int count) {
    List<JobRequest<Numbered>> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(KIND.of(new Numbered(from + i)));
    }
    jobs.enqueue(requests);
  }

  @Override
  public void work(EngineUse use, RunCounter tally) {
    Monotick started =
        Monotick.builder()
            .store(store)
            .handler(
                KIND,
                job -> {
                  tally.ran(job.payload().number());
                  return JobOutcome.done();
                })
            .handler(limited.kind(), job -> limited.run()) // there are none, but after limit
            .build();
    engine = started;
    started.start();
  }

  @Override
  public void rest() {
    if (engine != null) {
      engine.stop(GRACE);
      engine = null;
    }
  }

  @Override
  public void pause() {
    jobs.pause(JobPause.Of.KIND, "bench", "bench", "jobs are added");
  }

  @Override
  public void resume() {
    jobs.resume(JobPause.Of.KIND, "bench");
  }

  @Override
  public void limit(int count) {
    LimitedJobs.limit(jobs);
    LimitedJobs.add(jobs, count);
  }

  @Override
  public long limited() {
    return limited.ran();
  }

  @Override
  public void close() {
    rest();
    store.close();
  }
}
