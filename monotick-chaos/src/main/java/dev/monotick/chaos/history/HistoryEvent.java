package dev.monotick.chaos.history;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One line of a history: when, what, and the particulars.
 *
 * <p>Times are readings of {@link System#nanoTime()}. On Linux that is {@code CLOCK_MONOTONIC},
 * which all processes of a machine share; so histories of several processes can be laid side by
 * side.
 *
 * @param nanos when, by the monotonic clock of the machine
 * @param kind what happened
 * @param fields particulars, in the order they were given
 */
public record HistoryEvent(long nanos, String kind, Map<String, String> fields) {

  /** Copies the fields. */
  public HistoryEvent {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** Returns an event that happens now; the fields are names and values in turn. */
  public static HistoryEvent now(String kind, Object... fields) {
    return at(System.nanoTime(), kind, fields);
  }

  /** Returns an event of another time; the fields are names and values in turn. */
  public static HistoryEvent at(long nanos, String kind, Object... fields) {
    Map<String, String> named = new LinkedHashMap<>();
    for (int i = 0; i < fields.length; i += 2) {
      named.put(fields[i].toString(), fields[i + 1].toString());
    }
    return new HistoryEvent(nanos, kind, named);
  }

  /** Returns the event that a line stands for. */
  public static HistoryEvent parse(String line) {
    String[] parts = line.split("\t", -1);
    if (parts.length < 2) {
      throw new IllegalArgumentException("not a line of a history: " + line);
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 2; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      fields.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return new HistoryEvent(Long.parseLong(parts[0]), parts[1], fields);
  }

  /** Returns the value of a field that must be there. */
  public String get(String field) {
    return find(field)
        .orElseThrow(() -> new IllegalArgumentException("no " + field + " in " + line()));
  }

  /** Returns the value of a field. */
  public Optional<String> find(String field) {
    return Optional.ofNullable(fields.get(field));
  }

  /** Says whether a field has that value. */
  public boolean has(String field, String value) {
    return value.equals(fields.get(field));
  }

  /** Returns the event as one line. */
  public String line() {
    StringBuilder line = new StringBuilder().append(nanos).append('\t').append(kind);
    fields.forEach(
        (name, value) ->
            line.append('\t').append(name).append('=').append(value.replaceAll("\\s+", " ")));
    return line.toString();
  }
}
