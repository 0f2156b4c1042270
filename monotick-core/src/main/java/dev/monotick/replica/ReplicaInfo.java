package dev.monotick.replica;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;

/**
 * A replica that is alive.
 *
 * @param id id of its membership; a process that lost its membership comes back under another id
 * @param name what people call it: the host, or what was configured
 * @param startedAt when it joined, by the store's clock
 * @param tasks names of the tasks it can run
 * @param tzdb version of its time-zone data, such as {@code 2025b}; empty if it is unknown
 * @param kinds kinds of jobs that it handles
 */
public record ReplicaInfo(
    UUID id, String name, Instant startedAt, Set<String> tasks, String tzdb, Set<String> kinds) {

  /** Copies the sets. */
  public ReplicaInfo {
    tasks = Set.copyOf(tasks);
    kinds = Set.copyOf(kinds);
  }
}
