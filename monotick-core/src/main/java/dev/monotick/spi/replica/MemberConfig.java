package dev.monotick.spi.replica;

import static java.util.Objects.requireNonNull;

import java.time.zone.ZoneRulesProvider;
import java.util.Map;
import java.util.Set;

/**
 * How a replica is configured, as far as the others compare it with themselves.
 *
 * @param tzdb version of its time-zone data, such as {@code 2025b}; empty if it is unknown
 * @param kinds kinds of jobs that it handles
 * @param tasks its tasks by name, each with its mode, schedule and policies: one {@code
 *     property=value} a line
 */
public record MemberConfig(String tzdb, Set<String> kinds, Map<String, String> tasks) {

  /** A replica of which nothing is known. */
  public static final MemberConfig UNKNOWN = new MemberConfig("", Set.of(), Map.of());

  /** Copies the collections. */
  public MemberConfig {
    requireNonNull(tzdb, "tzdb");
    kinds = Set.copyOf(kinds);
    tasks = Map.copyOf(tasks);
  }

  /** Returns the version of this process's time-zone data. */
  public static String tzdbOfThisProcess() {
    return ZoneRulesProvider.getVersions("UTC").lastEntry().getKey();
  }
}
