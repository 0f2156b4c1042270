package dev.monotick.spi.replica;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Identifies one membership of one process. Every start of a process has an id of its own, and so
 * has every return of a process that lost its membership: a replica that was declared gone never
 * comes back, its process comes back as another replica. So nothing that was sent to or claimed by
 * an earlier membership can be taken for something of a later one. The name people read is {@link
 * MemberInfo#name}.
 */
public record MemberId(UUID value) implements Comparable<MemberId> {

  /** Refuses null. */
  public MemberId {
    requireNonNull(value, "value");
  }

  /** Returns a new, random identity. */
  public static MemberId random() {
    return new MemberId(UUID.randomUUID());
  }

  /**
   * Returns the id under which the same process joins after it lost this membership. Derived from
   * this id, so that simulations can be repeated; as random as this id is.
   */
  public MemberId successor() {
    byte[] text = (value + " rejoins").getBytes(StandardCharsets.US_ASCII);
    return new MemberId(UUID.nameUUIDFromBytes(text));
  }

  @Override
  public int compareTo(MemberId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
