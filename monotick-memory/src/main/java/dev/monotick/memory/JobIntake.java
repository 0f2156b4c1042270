package dev.monotick.memory;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.JobStart;
import dev.monotick.job.JobState;
import dev.monotick.job.QueueFullException;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.work.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds jobs. Guarded by the store's lock. */
final class JobIntake {

  private final JobTable table;

  JobIntake(JobTable table) {
    this.table = table;
  }

  List<Enqueued> enqueue(EnqueueRequest order, Instant now) {
    order.drafts().forEach(JobIntake::requireEffect);
    order.depth().ifPresent(depth -> requireRoom(order.drafts(), depth));
    List<Enqueued> replies = new ArrayList<>(order.drafts().size());
    List<MemoryJob> fresh = new ArrayList<>();
    for (JobDraft draft : order.drafts()) {
      MemoryJob row =
          new MemoryJob(table.newId(), draft, table.line(draft.lane()), now, order.parent());
      Optional<JobId> same = table.keys.holderOtherThan(row, now);
      replies.add(new Enqueued(same.orElse(row.id), same.isEmpty()));
      if (same.isEmpty()) {
        table.keys.take(row, now);
        fresh.add(row);
      }
    }
    boolean lastIsNew = !replies.isEmpty() && replies.get(replies.size() - 1).isNew();
    link(order.follow(), fresh, lastIsNew);
    fresh.forEach(row -> add(row, now));
    return replies;
  }

  /** Jobs that were there already are not waited for: whoever wanted them has linked them. */
  private static void link(EnqueueRequest.Follow follow, List<MemoryJob> rows, boolean lastIsNew) {
    if (follow == EnqueueRequest.Follow.CHAIN) {
      for (int i = 1; i < rows.size(); i++) {
        rows.get(i - 1).next = rows.get(i);
        rows.get(i).pending = 1;
        rows.get(i).needsSuccess = true;
      }
    } else if (follow == EnqueueRequest.Follow.LAST_AFTER_ALL && lastIsNew) {
      MemoryJob last = rows.get(rows.size() - 1);
      for (MemoryJob row : rows.subList(0, rows.size() - 1)) {
        row.next = last;
        last.pending++;
      }
    }
  }

  private void add(MemoryJob row, Instant now) {
    row.dueAt = dueAt(row.draft.start(), now);
    if (row.rules().approval().isPresent()) {
      table.add(row, JobState.AWAITING_APPROVAL, now);
    } else if (row.pending > 0 || row.dueAt != null) {
      table.add(row, JobState.SCHEDULED, now);
    } else {
      table.add(row, JobState.READY, now);
    }
  }

  private static @Nullable Instant dueAt(JobStart start, Instant now) {
    Instant afterDelay = now.plus(start.delay());
    Instant at = start.at().filter(afterDelay::isBefore).orElse(afterDelay);
    return at.isAfter(now) ? at : null;
  }

  private void requireRoom(List<JobDraft> drafts, long depth) {
    Map<String, Long> depths = new HashMap<>();
    table.lines().forEach(line -> depths.merge(line.lane.queue(), line.depth(), Long::sum));
    Map<String, Long> wanted = new TreeMap<>();
    drafts.forEach(draft -> wanted.merge(draft.lane().queue(), 1L, Long::sum));
    wanted.forEach(
        (queue, more) -> {
          long waiting = depths.getOrDefault(queue, 0L);
          if (waiting + more > depth) {
            throw new QueueFullException(
                "queue "
                    + queue
                    + " takes no more jobs: "
                    + waiting
                    + " wait, "
                    + more
                    + " were to be added, and "
                    + depth
                    + " may wait; try again later, or allow a greater depth");
          }
        });
  }

  private static void requireEffect(JobDraft draft) {
    if (draft.rules().effect() == Effect.TRANSACTIONAL) {
      throw new UnsupportedOperationException(
          "jobs of kind "
              + draft.lane().kind()
              + " cannot be TRANSACTIONAL: their store is no database; use another effect or"
              + " PostgresStore");
    }
  }
}
