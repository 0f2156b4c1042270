package dev.monotick.testkit;

import dev.monotick.Monotick;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where one replica of the simulated cluster runs, again and again: clocks, and a way to the store.
 */
final class Machine {

  final int index;
  final ReplicaClock clock;
  boolean requestsCut;
  boolean repliesCut;
  @Nullable Life process;

  Machine(int index, ReplicaClock clock) {
    this.index = index;
    this.clock = clock;
  }

  /** Says whether a process runs here that is not frozen, and neither starts nor stops. */
  boolean isWell() {
    return is(running -> !running.threads.isFrozen() && running.started && !running.stopping);
  }

  boolean is(Predicate<Life> state) {
    Life running = process;
    return running != null && running.threads.isAlive() && state.test(running);
  }

  @Override
  public String toString() {
    return "replica-" + index;
  }

  /** One start of the replica. */
  static final class Life {

    final Machine machine;
    final int number;
    final Standing standing;
    final Duration storeClockError;
    final ManualThreads threads;
    @Nullable Monotick engine;
    boolean started;
    boolean stopping;

    Life(
        Machine machine,
        int number,
        Standing standing,
        Duration storeClockError,
        Function<Life, ManualThreads> threads) {
      this.machine = machine;
      this.number = number;
      this.standing = standing;
      this.storeClockError = storeClockError;
      this.threads = threads.apply(this);
    }

    /** Says whether it is proven to live, in the same stretch of membership as it was then. */
    boolean isStill(int membership) {
      return threads.isAlive() && standing.membership() == membership && standing.isMember();
    }

    @Override
    public String toString() {
      return machine + "#" + number;
    }
  }
}
