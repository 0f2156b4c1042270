package dev.monotick.chaos.report;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a picture of a run shows, read from its journal: who lived when, who led when, what struck
 * whom, and when the leader's task had an effect.
 */
final class Timeline {

  /** From where to where, on the machine's monotonic clock; and on whose line. */
  record Span(String place, long from, long until, String text) {}

  /** An effect, and whether it was accepted. */
  record Dot(String place, long at, boolean accepted) {}

  private static final String SERVER = "server";

  final List<Span> lives = new ArrayList<>();
  final List<Span> terms = new ArrayList<>();
  final List<Span> faults = new ArrayList<>();
  final List<Dot> effects = new ArrayList<>();
  final long from;
  final long until;

  private Timeline(long from, long until) {
    this.from = from;
    this.until = until;
  }

  /** Reads the part of a journal in which most happened, of that length at most. */
  static Timeline of(List<Journal.Entry> journal, Duration length) {
    long first = journal.stream().mapToLong(entry -> entry.event().nanos()).min().orElse(0);
    long last = journal.stream().mapToLong(entry -> entry.event().nanos()).max().orElse(0);
    long from = busiest(journal, length.toNanos(), first);
    Timeline timeline = new Timeline(from, Math.min(last, from + length.toNanos()));
    timeline.read(journal, last);
    return timeline;
  }

  /** Returns the lines there are: replicas by name, then the server. */
  List<String> places() {
    TreeMap<String, Boolean> places = new TreeMap<>();
    lives.stream()
        .filter(span -> span.until() > from && span.from() < until)
        .forEach(span -> places.put(span.place(), true));
    List<String> sorted = new ArrayList<>(places.keySet());
    sorted.add(SERVER);
    return sorted;
  }

  private static long busiest(List<Journal.Entry> journal, long length, long first) {
    NavigableMap<Long, Integer> changes = new TreeMap<>();
    journal.stream()
        .filter(entry -> entry.is("gained") || entry.is("fault"))
        .forEach(entry -> changes.merge(entry.event().nanos(), 1, Integer::sum));
    long best = first;
    int most = -1;
    for (long start : changes.keySet()) {
      int count = changes.subMap(start, start + length).size();
      if (count > most) {
        most = count;
        best = start;
      }
    }
    return best - Duration.ofSeconds(2).toNanos();
  }

  private void read(List<Journal.Entry> journal, long last) {
    Map<String, Long> started = new LinkedHashMap<>();
    Map<String, long[]> trusted = new LinkedHashMap<>();
    Map<String, HistoryEvent> struck = new HashMap<>();
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "started" -> started.put(entry.source(), event.nanos());
        case "kill", "stop", "ended by itself" -> {
          Long since = started.remove(event.get("whom"));
          if (since != null) {
            lives.add(new Span(place(event.get("whom")), since, event.nanos(), ""));
          }
          end(trusted, event.get("whom"), event.nanos());
        }
        case "trust" -> trust(trusted, entry.source(), event);
        case "lost" -> end(trusted, entry.source(), event.nanos());
        case "fault" -> struck.put(event.get("number"), event);
        case "healed" -> healed(struck.remove(event.get("number")), event.nanos());
        case "effect" -> {
          if (event.has("task", TaskWorkload.LEADER)) {
            effects.add(
                new Dot(
                    place(event.get("replica")), event.nanos(), event.has("verdict", "ACCEPTED")));
          }
        }
        default -> {}
      }
    }
    started.forEach((source, since) -> lives.add(new Span(place(source), since, last, "")));
    List.copyOf(trusted.keySet())
        .forEach(key -> end(trusted, key.substring(0, key.indexOf('/')), last));
  }

  private void trust(Map<String, long[]> trusted, String source, HistoryEvent event) {
    long valid = Long.parseLong(event.get("until"));
    trusted.compute(
        source + "/" + event.get("fence"),
        (key, span) ->
            span == null
                ? new long[] {event.nanos(), valid}
                : new long[] {span[0], Math.max(valid, span[1])});
  }

  private void end(Map<String, long[]> trusted, String source, long at) {
    for (String key : List.copyOf(trusted.keySet())) {
      if (key.startsWith(source + "/")) {
        long[] span = trusted.remove(key);
        if (span != null) {
          terms.add(
              new Span(
                  place(source),
                  span[0],
                  Math.min(span[1], at),
                  key.substring(key.indexOf('/') + 1)));
        }
      }
    }
  }

  private void healed(@org.jspecify.annotations.Nullable HistoryEvent fault, long at) {
    if (fault != null) {
      String whom = fault.get("whom");
      String place = whom.isEmpty() ? SERVER : place(whom);
      faults.add(new Span(place, fault.nanos(), at, fault.get("fault")));
    }
  }

  /** A new name for every start, at the same place. */
  private static String place(String source) {
    int dot = source.indexOf('.');
    return dot < 0 ? source : source.substring(0, dot);
  }
}
