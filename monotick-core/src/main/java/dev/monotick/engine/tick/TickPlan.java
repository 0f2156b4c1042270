package dev.monotick.engine.tick;

import dev.monotick.tick.TickRecord;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a task should do next, as far as its schedule, policies and ledger state say. */
sealed interface TickPlan {

  /** Nothing, until a run ends or the state changes: {@code why} says which. */
  record Idle(String why) implements TickPlan {}

  /** Nothing, because it is paused; {@code look} is when to look again, null if never. */
  record Paused(@Nullable Instant nextCheck) implements TickPlan {}

  /** Nothing until {@code due}, when the tick at {@code nominal} is. */
  record Wait(Instant nominal, Instant due) implements TickPlan {}

  /**
   * The tick at {@code nominal} is due; the gaps before it are counted only when asked for.
   *
   * @param late whether it is run to catch up: ticks before it are missed, or it is not on time
   */
  record Due(Instant nominal, Instant due, boolean late, Supplier<List<TickRecord.Range>> ranges)
      implements TickPlan {}

  /** There are ticks, the newest at {@code latest}, and none of them is to be run. */
  record Account(Instant latest, Supplier<List<TickRecord.Range>> ranges) implements TickPlan {}
}
