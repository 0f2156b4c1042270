package dev.monotick.chaos.workload;

import dev.monotick.job.JobContext;

/** Where handlers write down what they do. */
public interface RunLog {

  /** Writes that a handler begins; returns when it is written. The handler's first act. */
  void begin(JobContext<String> job);

  /** Writes a word; returns when it is written. */
  void write(JobContext<String> job, String word);
}
