package dev.monotick.engine.tick;

import dev.monotick.spi.replica.MemberConfig;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What this replica tells the others of its configuration. Called on the loop. */
public final class LocalConfig {

  private static final String TZDB = MemberConfig.tzdbOfThisProcess();

  private final Supplier<Set<String>> kinds;
  private final Supplier<Collection<TaskLoop>> tasks;
  private @Nullable MemberConfig last;

  public LocalConfig(Supplier<Set<String>> kinds, Supplier<Collection<TaskLoop>> tasks) {
    this.kinds = kinds;
    this.tasks = tasks;
  }

  /** A task or a handler was added. */
  public void changed() {
    last = null;
  }

  public MemberConfig get() {
    MemberConfig known = last;
    if (known == null) {
      Map<String, String> definitions = new HashMap<>();
      for (TaskLoop task : tasks.get()) {
        definitions.put(task.spec().name(), TaskDefinition.of(task.spec(), task.mode()).text());
      }
      known = new MemberConfig(TZDB, kinds.get(), definitions);
      last = known;
    }
    return known;
  }
}
