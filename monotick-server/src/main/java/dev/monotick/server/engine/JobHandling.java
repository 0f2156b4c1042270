package dev.monotick.server.engine;

import dev.monotick.MonotickBuilder;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.server.trace.Tracing;
import org.slf4j.MDC;

/**
 * A kind of jobs that this server runs, as a bean: the engine gets all there are.
 *
 * @param kind what its jobs have in common
 * @param handler runs them
 */
public record JobHandling<P>(JobKind<P> kind, JobHandler<P> handler) {

  void addTo(MonotickBuilder builder, Tracing tracing) {
    builder.handler(kind, job -> run(job, tracing));
  }

  /** What is logged meanwhile says for which job. */
  private JobOutcome run(JobContext<P> job, Tracing tracing) throws Exception {
    MDC.put("tenant", job.lane().tenant());
    MDC.put("job", job.id().toString());
    try {
      return tracing.running(job, handler);
    } finally {
      MDC.remove("job");
      MDC.remove("tenant");
    }
  }
}
