package dev.monotick.engine;

import dev.monotick.replica.ReplicaConfig;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What this replica tells the others of its configuration. Called on the loop. */
final class OwnConfig {

  private static final String TZDB = ReplicaConfig.tzdbOfThisProcess();

  private final Supplier<Set<String>> kinds;
  private final Supplier<Collection<TaskLoop>> tasks;
  private @Nullable ReplicaConfig last;

  OwnConfig(Supplier<Set<String>> kinds, Supplier<Collection<TaskLoop>> tasks) {
    this.kinds = kinds;
    this.tasks = tasks;
  }

  /** A task or a handler was added. */
  void changed() {
    last = null;
  }

  ReplicaConfig get() {
    ReplicaConfig known = last;
    if (known == null) {
      Map<String, String> definitions = new HashMap<>();
      for (TaskLoop task : tasks.get()) {
        definitions.put(task.spec().name(), TaskDefinition.of(task.spec(), task.mode()).text());
      }
      known = new ReplicaConfig(TZDB, kinds.get(), definitions);
      last = known;
    }
    return known;
  }
}
