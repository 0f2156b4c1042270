package dev.monotick.chaos.check;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.leader.Fence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stretch in which a replica certainly relied on its leadership, on the clock of the machine. The
 * true stretch may be longer at both ends, never shorter: so an overlap that is found is real.
 *
 * @param source who led
 * @param fence the fence of the term
 * @param from when the term was first seen to be valid
 * @param until until when it was certainly relied on
 */
record LeadershipInterval(String source, Fence fence, long from, long until) {

  /** Returns the terms that a journal tells of, by their beginning. */
  static List<LeadershipInterval> of(List<Journal.Entry> entries) {
    Map<String, Long> killed = new HashMap<>();
    Map<String, Building> terms = new LinkedHashMap<>();
    for (Journal.Entry entry : entries) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "kill" -> killed.put(event.get("whom"), event.nanos());
        case "trust" ->
            terms
                .computeIfAbsent(key(entry), key -> new Building(entry.source(), fence(event)))
                .trusted(event.nanos(), Long.parseLong(event.get("until")));
        case "lost" -> {
          Building building = terms.get(key(entry));
          if (building != null) { // else it was over before anybody could look
            building.lost(event);
          }
        }
        default -> {}
      }
    }
    List<LeadershipInterval> built = new ArrayList<>();
    terms.values().forEach(term -> built.add(term.build(killed.get(term.source))));
    built.sort(Comparator.comparingLong(LeadershipInterval::from));
    return built;
  }

  boolean overlaps(LeadershipInterval other) {
    return from < other.until && other.from < until;
  }

  private static String key(Journal.Entry entry) {
    return entry.source() + "/" + entry.event().get("fence");
  }

  private static Fence fence(HistoryEvent event) {
    return SinkEffect.fence(event.get("fence"));
  }

  private static final class Building {

    private final String source;
    private final Fence fence;
    private long from = Long.MAX_VALUE;
    private long until = Long.MIN_VALUE;

    Building(String source, Fence fence) {
      this.source = source;
      this.fence = fence;
    }

    void trusted(long at, long validUntil) {
      from = Math.min(from, at);
      until = Math.max(until, validUntil);
    }

    /** One that ran out was relied on to the end; any other only until it was last asked. */
    void lost(HistoryEvent event) {
      if (!event.has("cause", "EXPIRED")) {
        until = Math.min(until, Long.parseLong(event.get("valid")));
      }
    }

    LeadershipInterval build(@Nullable Long killedAt) {
      return new LeadershipInterval(
          source, fence, from, killedAt == null ? until : Math.min(until, killedAt));
    }
  }
}
