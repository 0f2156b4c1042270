package dev.monotick.replica;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Identifies one membership of one process. Every start of a process has an id of its own, and so
 * has every return of a process that lost its membership: a replica that was declared gone never
 * comes back, its process comes back as another replica. So nothing that was sent to or claimed by
 * an earlier membership can be taken for something of a later one. The name people read is {@link
 * ReplicaInfo#name}.
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

  /**
   * Returns the id under which the same process joins after it lost this membership. Derived from
   * this id, so that simulations can be repeated; as random as this id is.
   */
  public ReplicaId successor() {
    byte[] text = (value + " rejoins").getBytes(StandardCharsets.US_ASCII);
    return new ReplicaId(UUID.nameUUIDFromBytes(text));
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
