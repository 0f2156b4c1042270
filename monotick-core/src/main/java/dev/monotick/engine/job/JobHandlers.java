package dev.monotick.engine.job;

import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who handles which kind of job here. Thread-safe. */
public final class JobHandlers {

  private final Map<String, Registered<?>> byKind = new ConcurrentHashMap<>();
  private volatile Set<String> kinds = Set.of();

  /** A kind and who handles it. */
  record Registered<P>(JobKind<P> kind, JobHandler<P> handler) {}

  /**
   * Adds a handler.
   *
   * @throws IllegalArgumentException if the kind has one
   */
  public synchronized <P> void add(JobKind<P> kind, JobHandler<P> handler) {
    if (byKind.containsKey(kind.name())) {
      throw new IllegalArgumentException(
          "kind \"" + kind.name() + "\" has a handler; a kind has one, choose another name");
    }
    byKind.put(kind.name(), new Registered<>(kind, handler));
    kinds = Set.copyOf(byKind.keySet());
  }

  /** Returns the names of all kinds that have a handler. */
  public Set<String> kinds() {
    return kinds;
  }

  /** Says whether nothing can be handled here. */
  public boolean isEmpty() {
    return byKind.isEmpty();
  }

  @Nullable Registered<?> of(String kind) {
    return byKind.get(kind);
  }
}
