package dev.monotick.bench.postgres;

import dev.monotick.Monotick;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Some replicas in this process, each with an engine and a store of its own. */
final class InProcessCluster implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(10);

  private final List<Monotick> engines = new ArrayList<>();
  private final List<PostgresStore> stores = new ArrayList<>();

  /** Starts replicas that all have the same tasks. */
  static InProcessCluster start(BenchServer server, String schema, int replicas, List<Task> tasks) {
    InProcessCluster cluster = new InProcessCluster();
    for (int i = 0; i < replicas; i++) {
      PostgresStore store = server.store(schema);
      cluster.stores.add(store);
      Monotick engine = Monotick.builder().store(store).replicaName("replica-" + i).build();
      tasks.forEach(engine::register);
      cluster.engines.add(engine);
      engine.start();
    }
    return cluster;
  }

  int size() {
    return engines.size();
  }

  @Override
  public void close() {
    engines.forEach(engine -> engine.stop(GRACE));
    stores.forEach(PostgresStore::close);
  }
}
