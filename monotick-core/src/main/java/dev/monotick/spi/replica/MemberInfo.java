package dev.monotick.spi.replica;

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
public record MemberInfo(
    MemberId id, String name, Instant startedAt, Set<String> tasks, MemberConfig config) {

  /** Creates one whose configuration is unknown. */
  public MemberInfo(MemberId id, String name, Instant startedAt, Set<String> tasks) {
    this(id, name, startedAt, tasks, MemberConfig.UNKNOWN);
  }

  /** Copies the task names. */
  public MemberInfo {
    tasks = Set.copyOf(tasks);
  }
}
