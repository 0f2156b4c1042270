package dev.monotick.testkit;

import dev.monotick.MonotickBuilder;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A handler that every replica of a {@link SimulatedCluster} has.
 *
 * @param kind for jobs of this kind
 * @param handlers gives a replica its own, by the replica's name
 */
record SimulatedHandler<P>(JobKind<P> kind, Function<String, JobHandler<P>> handlers) {

  /** Gives it to a replica, with something to do before each run. */
  void addTo(MonotickBuilder builder, String replica, Consumer<JobContext<?>> before) {
    JobHandler<P> handler = handlers.apply(replica);
    builder.handler(
        kind,
        context -> {
          before.accept(context);
          return handler.run(context);
        });
  }
}
