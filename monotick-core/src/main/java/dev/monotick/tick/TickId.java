package dev.monotick.tick;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a tick: the same on every replica, however often it is asked for.
 *
 * @param task name of the task
 * @param nominal the nominal time, or when it was asked for if triggered
 * @param trigger the caller's key if somebody asked for this tick, null if the schedule did
 */
public record TickId(String task, Instant nominal, @Nullable String trigger) {

  /** Refuses null for name and time. */
  public TickId {
    requireNonNull(task, "task");
    requireNonNull(nominal, "nominal");
  }

  /** Returns the identity of the tick that the schedule puts at {@code nominal}. */
  public static TickId scheduled(String task, Instant nominal) {
    return new TickId(task, nominal, null);
  }

  /** Returns the identity of a tick that was asked for under the caller's key. */
  public static TickId triggered(String task, Instant at, String key) {
    return new TickId(task, at, requireNonNull(key, "key"));
  }

  /** Says whether somebody asked for this tick, beside the schedule. */
  public boolean isTriggered() {
    return trigger != null;
  }

  /** Returns a text that is the same for every attempt at this tick and for no other tick. */
  public String idempotencyKey() {
    return trigger == null ? task + "/" + nominal : task + "/trigger/" + trigger;
  }

  @Override
  public String toString() {
    return idempotencyKey();
  }
}
