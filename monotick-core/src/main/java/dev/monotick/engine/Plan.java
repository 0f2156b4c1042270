package dev.monotick.engine;

import dev.monotick.ledger.Gap;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a task should do next, as far as its schedule, policies and ledger state say. */
sealed interface Plan {

  /** Nothing, until a run ends or the state changes: {@code why} says which. */
  record Idle(String why) implements Plan {}

  /** Nothing, because it is paused; {@code look} is when to look again, null if never. */
  record Paused(@Nullable Instant look) implements Plan {}

  /** Nothing until {@code due}, when the tick at {@code nominal} is. */
  record Wait(Instant nominal, Instant due) implements Plan {}

  /**
   * The tick at {@code nominal} is due; the gaps before it are counted only when asked for.
   *
   * @param late whether it is run to catch up: ticks before it are missed, or it is not on time
   */
  record Due(Instant nominal, Instant due, boolean late, Supplier<List<Gap>> gaps)
      implements Plan {}

  /** There are ticks, the newest at {@code latest}, and none of them is to be run. */
  record Account(Instant latest, Supplier<List<Gap>> gaps) implements Plan {}
}
