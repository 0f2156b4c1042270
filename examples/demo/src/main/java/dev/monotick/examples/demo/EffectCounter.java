package dev.monotick.examples.demo;

import dev.monotick.task.TaskContext;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts what bodies really did, apart from the engines and their ledger: the witness of the demo.
 * Thread-safe.
 */
final class EffectCounter {

  private final Map<String, Integer> timesByKey = new HashMap<>();
  private final Map<String, Seen> seenByTask = new HashMap<>();

  /**
   * What happened of one task.
   *
   * @param first nominal time of the earliest tick that had an effect
   * @param newest nominal time of the latest one
   * @param replicas who ran that one
   * @param distinct how many ticks had an effect
   * @param duplicates how many effects were one too many
   */
  record Seen(
      Instant first, Instant newest, Set<String> replicas, long distinct, long duplicates) {}

  /** Notes that a body took effect. The key names the tick, and the replica where that counts. */
  synchronized void happened(TaskContext context) {
    boolean again = timesByKey.merge(context.idempotencyKey(), 1, Integer::sum) > 1;
    Instant nominal = context.nominalTime();
    Seen before = seenByTask.get(context.tick().task());
    seenByTask.put(
        context.tick().task(),
        new Seen(
            before == null || nominal.isBefore(before.first) ? nominal : before.first,
            before == null || nominal.isAfter(before.newest) ? nominal : before.newest,
            replicas(before, nominal, context.replica()),
            (before == null ? 0 : before.distinct) + (again ? 0 : 1),
            (before == null ? 0 : before.duplicates) + (again ? 1 : 0)));
  }

  /** Returns what happened of a task, null if nothing did. */
  synchronized @Nullable Seen of(String task) {
    return seenByTask.get(task);
  }

  private static Set<String> replicas(@Nullable Seen before, Instant nominal, String replica) {
    if (before == null || nominal.isAfter(before.newest)) {
      return Set.of(replica);
    }
    if (nominal.isBefore(before.newest)) {
      return before.replicas;
    }
    Set<String> all = new TreeSet<>(before.replicas);
    all.add(replica);
    return Set.copyOf(all);
  }
}
