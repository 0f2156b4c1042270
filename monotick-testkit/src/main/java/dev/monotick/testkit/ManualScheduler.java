package dev.monotick.testkit;

import dev.monotick.engine.thread.EngineThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs engines on the test's thread, in virtual time: nothing happens until the test says so, and
 * then in one order. Several engines may share one.
 *
 * <p>A body runs on the same thread. While it calls {@link dev.monotick.task.TaskContext#sleep} or
 * {@link #advance} itself, it is "still running": everything else goes on inside that call. Not
 * thread-safe.
 */
public final class ManualScheduler {

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final Duration CENTURY = Duration.ofDays(36_500);

  private final FakeTime time;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final ArrayDeque<Event> eventsNow = new ArrayDeque<>(); // without delay, in their order
  private final List<ManualThreads> engines = new ArrayList<>();
  private final long origin;
  private long sequence;
  private long watchedNanos;
  private @Nullable Instant watchedClock;
  private Runnable afterEach = () -> {};
  private long watchEveryNanos;

  /** Something that will happen, in one engine. */
  static final class Event implements Comparable<Event> {

    final ManualThreads owner;
    final Runnable action;
    private final long at;
    private final long sequence;
    boolean cancelled;

    private Event(ManualThreads owner, Runnable action, long at, long sequence) {
      this.owner = owner;
      this.action = action;
      this.at = at;
      this.sequence = sequence;
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /** Creates a scheduler with a time of its own. */
  public ManualScheduler() {
    this(new FakeTime());
  }

  /** Creates a scheduler that moves the given time. */
  public ManualScheduler(FakeTime time) {
    this.time = time;
    this.origin = time.nanos();
  }

  /** Returns the time that this scheduler moves. */
  public FakeTime time() {
    return time;
  }

  /** Returns where one engine runs; give it to {@code MonotickBuilder.threads}. */
  @SuppressWarnings("exports") // the type is exported to this kit only, on purpose
  public EngineThreads threads() {
    return newEngine();
  }

  ManualThreads newEngine() {
    return newEngine(new ReplicaClock(time), Network.INSTANT);
  }

  ManualThreads newEngine(ReplicaClock clock, Network network) {
    ManualThreads engine = new ManualThreads(this, clock, network);
    engines.add(engine);
    return engine;
  }

  /** Runs everything that is due now, and what follows from it at the same instant. */
  public void runDue() {
    runUntil(elapsed(), () -> false);
  }

  /** Lets time pass, and runs everything that becomes due on the way, each at its time. */
  public void advance(Duration amount) {
    runUntil(elapsed() + amount.toNanos(), () -> false);
  }

  /** Lets time pass until the condition holds, at most a day. */
  public void advanceUntil(BooleanSupplier condition) {
    runUntil(elapsed() + LONGEST_WAIT.toNanos(), condition);
    if (!condition.getAsBoolean()) {
      throw new AssertionError("the condition did not come true within " + LONGEST_WAIT);
    }
  }

  /** Runs events up to that time, or until the condition holds; then it is that time. */
  void runUntil(long target, BooleanSupplier done) {
    watch();
    while (!done.getAsBoolean()) {
      Event event = nextUpTo(target);
      if (event == null) {
        moveTo(target);
        return;
      }
      moveTo(event.at);
      if (!event.cancelled && event.owner.isAlive()) {
        event.action.run();
        afterEach.run();
      }
    }
  }

  private @Nullable Event nextUpTo(long target) {
    while (true) {
      Event first = takeFirst(target);
      if (first == null) {
        return null;
      }
      if (first.cancelled || !first.owner.isAlive()) {
        continue;
      }
      if (first.owner.isFrozen()) {
        first.owner.hold(first);
        continue;
      }
      return first;
    }
  }

  private @Nullable Event takeFirst(long target) {
    Event now = eventsNow.peek();
    Event later = events.peek();
    boolean isNow = now != null && (later == null || now.compareTo(later) < 0);
    Event first = isNow ? now : later;
    if (first == null || first.at > target) {
      return null;
    }
    return isNow ? eventsNow.remove() : events.remove();
  }

  /** Has a check run after everything that happens. */
  void afterEach(Runnable check) {
    afterEach = check;
  }

  Event add(ManualThreads owner, Duration delay, Runnable action) {
    Duration bounded = delay.compareTo(CENTURY) > 0 ? CENTURY : delay;
    return add(owner, bounded.toNanos(), action);
  }

  Event add(ManualThreads owner, long nanos, Runnable action) {
    Event event = new Event(owner, action, elapsed() + Math.max(0, nanos), sequence++);
    if (nanos <= 0) {
      eventsNow.add(event);
    } else {
      events.add(event);
    }
    return event;
  }

  long elapsed() {
    return time.nanos() - origin;
  }

  private void moveTo(long target) {
    long step = target - elapsed();
    if (step > 0) {
      time.advanceNanos(step);
    }
    watch();
  }

  /** Has engines look at the clocks no more often than that, as real ones do. */
  void watchEvery(Duration interval) {
    watchEveryNanos = interval.toNanos();
  }

  /** Engines look at the clocks whenever one of them moved. */
  private void watch() {
    if (watchEveryNanos > 0 && time.nanos() - watchedNanos < watchEveryNanos) {
      return;
    }
    Instant clock = time.now();
    if (watchedNanos != time.nanos() || !clock.equals(watchedClock)) {
      watchedNanos = time.nanos();
      watchedClock = clock;
      for (int i = 0; i < engines.size(); i++) {
        engines.get(i).watchNow();
      }
    }
  }

  void forget(ManualThreads engine) {
    engines.remove(engine);
  }
}
