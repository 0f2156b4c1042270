package dev.monotick.server.engine;

import dev.monotick.MonotickBuilder;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;

/**
 * A kind of jobs that this server runs, as a bean: the engine gets all there are.
 *
 * @param kind what its jobs have in common
 * @param handler runs them
 */
public record JobHandling<P>(JobKind<P> kind, JobHandler<P> handler) {

  void addTo(MonotickBuilder builder) {
    builder.handler(kind, handler);
  }
}
