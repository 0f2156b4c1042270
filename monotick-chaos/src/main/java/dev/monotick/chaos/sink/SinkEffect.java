package dev.monotick.chaos.sink;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.leader.Fence;
import org.jspecify.annotations.Nullable;

/**
 * Something a body did to the world.
 *
 * @param group whose fence it carries: the sink orders the fences of a group
 * @param task name of the task
 * @param nominal nominal time of the tick, as text
 * @param attempt which attempt at the tick
 * @param replica who did it: a new name for every start
 * @param kind what the sink should make of it
 * @param fence the fence it carries, null if it carries none
 * @param key the same for every attempt at the same effect
 */
public record SinkEffect(
    String group,
    String task,
    String nominal,
    int attempt,
    String replica,
    Kind kind,
    @Nullable Fence fence,
    String key) {

  /** What the sink should make of an effect. */
  public enum Kind {
    /** Refused if its fence is older than one that was accepted. */
    FENCED,
    /** Accepted, however often it comes. */
    PLAIN,
    /** Accepted once for its key. */
    IDEMPOTENT
  }

  /** Returns the effect as an event. */
  HistoryEvent toEvent(String kind) {
    return HistoryEvent.now(
        kind,
        "group",
        group,
        "task",
        task,
        "nominal",
        nominal,
        "attempt",
        attempt,
        "replica",
        replica,
        "kind",
        this.kind,
        "fence",
        fence == null ? "" : fence,
        "key",
        key);
  }

  /** Returns the effect that an event tells of. */
  public static SinkEffect of(HistoryEvent event) {
    String fence = event.get("fence");
    return new SinkEffect(
        event.get("group"),
        event.get("task"),
        event.get("nominal"),
        Integer.parseInt(event.get("attempt")),
        event.get("replica"),
        Kind.valueOf(event.get("kind")),
        fence.isEmpty() ? null : fence(fence),
        event.get("key"));
  }

  /** Returns the fence that a text stands for. */
  public static Fence fence(String text) {
    int dot = text.indexOf('.');
    return new Fence(
        Long.parseLong(text.substring(0, dot)), Long.parseLong(text.substring(dot + 1)));
  }
}
