package dev.monotick.replica;

import java.time.Instant;
import java.util.Set;

/**
 * What the other replicas know of one.
 *
 * @param id identity of this start of the process
 * @param name what people call it: the host, or what was configured
 * @param startedAt when it joined, by the store's clock
 * @param tasks names of the tasks it can run; it is no candidate for any other
 * @param config what the others compare with their own
 */
public record ReplicaInfo(
    ReplicaId id, String name, Instant startedAt, Set<String> tasks, ReplicaConfig config) {

  /** Creates one whose configuration is unknown. */
  public ReplicaInfo(ReplicaId id, String name, Instant startedAt, Set<String> tasks) {
    this(id, name, startedAt, tasks, ReplicaConfig.UNKNOWN);
  }

  /** Copies the task names. */
  public ReplicaInfo {
    tasks = Set.copyOf(tasks);
  }
}
