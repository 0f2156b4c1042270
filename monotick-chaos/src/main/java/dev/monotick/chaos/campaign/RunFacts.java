package dev.monotick.chaos.campaign;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.spi.replica.LeaseTiming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a run, as its journal tells.
 *
 * @param faults how many of each kind have struck
 * @param passed how many could not be done when they were due
 * @param takeovers how often another replica led than before
 * @param longPauses how many pauses outlived the lease
 * @param commitsCut how many connections were cut during COMMIT
 * @param endedByThemselves how many processes ended though nobody asked or killed them
 * @param failovers how long it took until another one led, by what had struck the leader
 */
public record RunFacts(
    Map<String, Integer> faults,
    int passed,
    int takeovers,
    int longPauses,
    int commitsCut,
    int endedByThemselves,
    Map<String, List<Duration>> failovers) {

  /** Longer, and it was something else that ended the term. */
  private static final long LONGEST_FAILOVER = Duration.ofSeconds(30).toNanos();

  static RunFacts of(List<Journal.Entry> journal, LeaseTiming timing) {
    return new Reading(timing.leaseDuration().toNanos()).read(journal);
  }

  /** Returns how many faults have struck. */
  public int struck() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static final class Reading {

    private final long lease;
    private final Map<String, Integer> faults = new TreeMap<>();
    private final Map<String, List<Duration>> failovers = new TreeMap<>();
    private final Map<String, Long> pausedAt = new HashMap<>();
    private int passed;
    private int takeovers;
    private int longPauses;
    private int commitsCut;
    private int ended;
    private @Nullable String leader;
    private @Nullable HistoryEvent fault; // the first that struck the leader

    Reading(long lease) {
      this.lease = lease;
    }

    RunFacts read(List<Journal.Entry> journal) {
      journal.forEach(this::read);
      return new RunFacts(faults, passed, takeovers, longPauses, commitsCut, ended, failovers);
    }

    private void read(Journal.Entry entry) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "fault" -> {
          faults.merge(event.get("fault"), 1, Integer::sum);
          if (fault == null
              && (event.has("whom", String.valueOf(leader)) || event.has("whom", "server"))) {
            fault = event;
          }
        }
        case "passed" -> passed++;
        case "ended by itself" -> ended++;
        case "commitsCut" -> commitsCut += Integer.parseInt(event.get("count"));
        case "pause" -> pausedAt.put(event.get("whom"), event.nanos());
        case "resume" -> {
          Long since = pausedAt.remove(event.get("whom"));
          longPauses += since != null && event.nanos() - since > lease ? 1 : 0;
        }
        case "gained" -> gained(entry);
        default -> {}
      }
    }

    private void gained(Journal.Entry entry) {
      boolean other = leader != null && !Objects.equals(leader, entry.source());
      takeovers += other ? 1 : 0;
      HistoryEvent cause = fault;
      long after = cause == null ? 0 : entry.event().nanos() - cause.nanos();
      if (cause != null && (other || cause.has("whom", "server")) && after < LONGEST_FAILOVER) {
        failovers
            .computeIfAbsent(cause.get("fault"), kind -> new ArrayList<>())
            .add(Duration.ofNanos(after));
      }
      fault = null;
      leader = entry.source();
    }
  }
}
