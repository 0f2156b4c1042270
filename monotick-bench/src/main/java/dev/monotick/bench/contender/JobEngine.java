package dev.monotick.bench.contender;

/**
 * A job engine in this process, on the database of {@link DatabaseAccess}. All of them do the same:
 * jobs that carry a number, and that do nothing but tell it to the {@link RunCounter}. Adding jobs
 * is thread-safe.
 */
interface JobEngine extends AutoCloseable {

  /** Makes the tables, once per database, by the process that will add jobs. */
  void install(EngineUse use) throws Exception;

  /** Adds one job; it is durable when this returns. */
  void one(int number) throws Exception;

  /** Adds that many jobs by one call, numbered from {@code from} on. */
  void many(int from, int count) throws Exception;

  /** Begins to take and run jobs. */
  void work(EngineUse use, RunCounter tally) throws Exception;

  /** Ends work in good order, after which it may begin again in this process. */
  void rest() throws Exception;

  /** Has all workers of the database take no jobs until {@link #resume}. */
  default void pause() throws Exception {
    throw new UnsupportedOperationException("this engine cannot be paused");
  }

  /** Ends a {@link #pause}. */
  default void resume() throws Exception {
    throw new UnsupportedOperationException("this engine cannot be paused");
  }

  /**
   * Adds that many jobs of another kind, which has limits, so that they wait beside those that are
   * measured. Workers run them as well, as far as the limits allow.
   */
  default void limit(int count) throws Exception {
    throw new UnsupportedOperationException("this engine is not measured with limits");
  }

  /** Returns how many of those jobs were run in this process. */
  default long limited() {
    return 0;
  }

  /** Ends work in good order: what was run is recorded. */
  @Override
  void close();
}
