package dev.monotick.chaos.cluster;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.leader.Fence;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who leads, as far as a journal tells. Not thread-safe. */
final class CurrentLeaders {

  /** A term that has begun: who leads, and its fence. */
  record Lead(String source, Fence fence) {}

  private final Journal journal;
  private final Map<String, Lead> open = new HashMap<>();
  private @Nullable Lead newest;
  private int read;

  CurrentLeaders(Journal journal) {
    this.journal = journal;
  }

  /** Returns the newest term, unless its end was told or its process was killed. */
  Optional<Lead> current() {
    for (Journal.Entry entry : journal.since(read)) {
      read++;
      read(entry);
    }
    Lead last = newest;
    return last == null || !open.containsValue(last) ? Optional.empty() : Optional.of(last);
  }

  private void read(Journal.Entry entry) {
    HistoryEvent event = entry.event();
    switch (event.kind()) {
      case "gained" -> {
        Lead lead = new Lead(entry.source(), SinkEffect.fence(event.get("fence")));
        open.put(entry.source(), lead);
        if (newest == null || lead.fence().isNewerThan(newest.fence())) {
          newest = lead;
        }
      }
      case "lost", "stopped" -> open.remove(entry.source());
      case "kill" -> open.remove(event.get("whom"));
      default -> {}
    }
  }
}
