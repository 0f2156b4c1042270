package dev.monotick.memory;

import dev.monotick.job.JobId;
import dev.monotick.job.UniqueKey;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Which job has which unique key. Guarded by the store's lock. */
final class JobKeys {

  private record Key(String kind, String tenant, String key) {}

  /**
   * @param until when it loses the key; null for when it ends
   */
  private record Holder(JobId job, @Nullable Instant until) {}

  private record Expiry(Instant at, Key key) {}

  private final Map<Key, Holder> holders = new HashMap<>();
  private final PriorityQueue<Expiry> expiries =
      new PriorityQueue<>(Comparator.comparing(Expiry::at));

  /** Returns the job that has the key of this one, if another has it and its window is not over. */
  Optional<JobId> holderOtherThan(MemoryJob row, Instant now) {
    forgetOver(now);
    return row.draft
        .unique()
        .filter(unique -> unique.window().map(row.createdAt::plus).map(now::isBefore).orElse(true))
        .map(unique -> holders.get(key(row, unique)))
        .map(Holder::job)
        .filter(job -> !job.equals(row.id));
  }

  /** Gives the job its key, which nobody else has; nothing if its window is over. */
  void take(MemoryJob row, Instant now) {
    row.draft
        .unique()
        .ifPresent(
            unique -> {
              Key key = key(row, unique);
              Instant until = unique.window().map(row.createdAt::plus).orElse(null);
              if (until == null || until.isAfter(now)) {
                holders.put(key, new Holder(row.id, until));
              }
              if (until != null && until.isAfter(now)) {
                expiries.add(new Expiry(until, key));
              }
            });
  }

  /** To be called when the job has ended. */
  void ended(MemoryJob row) {
    row.draft
        .unique()
        .map(unique -> key(row, unique))
        .ifPresent(
            key ->
                holders.computeIfPresent(
                    key,
                    (same, holder) ->
                        holder.until() == null && holder.job().equals(row.id) ? null : holder));
  }

  /** Takes the key from a job that is forgotten, also if its window is not over. */
  void forget(MemoryJob row) {
    row.draft
        .unique()
        .map(unique -> key(row, unique))
        .ifPresent(
            key ->
                holders.computeIfPresent(
                    key, (same, holder) -> holder.job().equals(row.id) ? null : holder));
  }

  private void forgetOver(Instant now) {
    for (Expiry first = expiries.peek();
        first != null && !first.at().isAfter(now);
        first = expiries.peek()) {
      expiries.remove();
      Instant over = first.at();
      holders.computeIfPresent(
          first.key(), (key, holder) -> over.equals(holder.until()) ? null : holder);
    }
  }

  private static Key key(MemoryJob row, UniqueKey unique) {
    return new Key(row.lane().kind(), row.lane().tenant(), unique.key());
  }
}
