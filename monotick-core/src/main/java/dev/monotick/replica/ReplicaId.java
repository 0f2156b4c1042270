package dev.monotick.replica;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/**
 * One start of one process. Random for every start, so that a restarted process is never mistaken
 * for its former self; the name people read is {@link ReplicaInfo#name}.
 */
public record ReplicaId(UUID value) implements Comparable<ReplicaId> {

  /** Refuses null. */
  public ReplicaId {
    requireNonNull(value, "value");
  }

  /** Returns a new, random identity. */
  public static ReplicaId random() {
    return new ReplicaId(UUID.randomUUID());
  }

  @Override
  public int compareTo(ReplicaId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
