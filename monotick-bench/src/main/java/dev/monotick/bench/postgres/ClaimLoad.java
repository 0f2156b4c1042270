package dev.monotick.bench.postgres;

import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.store.Store;
import dev.monotick.task.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Claims and finishes ticks of some tasks directly in a ledger. A pass claims the next tick of each
 * task and then, in a second phase of its own, finishes all of them.
 */
final class ClaimLoad {

  static final int TASKS = 4_000;
  static final int BATCH = 500;
  private static final Duration STEP = Duration.ofMillis(1);

  private final Ledger ledger;
  private final ReplicaId replica = ReplicaId.random();
  private final Map<String, TaskState> states = new HashMap<>();
  private long claims;

  /**
   * What passes took.
   *
   * @param ticks how many ticks were claimed and finished
   * @param claimNanos wall time of the phases of claims
   * @param finishNanos wall time of the phases of reports
   * @param callNanos how long each call that claims took, shortest first
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Taken(long ticks, long claimNanos, long finishNanos, long[] callNanos) {

    double claimsPerSecond() {
      return ticks * 1e9 / claimNanos;
    }

    double bothPerSecond() {
      return ticks * 1e9 / (claimNanos + finishNanos);
    }

    Taken plus(Taken other) {
      long[] calls =
          LongStream.concat(Arrays.stream(callNanos), Arrays.stream(other.callNanos))
              .sorted()
              .toArray();
      return new Taken(
          ticks + other.ticks,
          claimNanos + other.claimNanos,
          finishNanos + other.finishNanos,
          calls);
    }
  }

  private interface Call<Q> {
    void make(List<Q> requests);
  }

  ClaimLoad(Store store) {
    ledger = store.ledger();
    Instant start = ledger.now();
    store.replicas().join(new ReplicaInfo(replica, "bench", start, Set.of()), false);
    for (int from = 0; from < TASKS; from += BATCH) {
      List<TaskRegistration> registrations = new ArrayList<>();
      for (int i = from; i < Math.min(TASKS, from + BATCH); i++) {
        registrations.add(new TaskRegistration(name(i), "@every 1ms", start));
      }
      ledger.register(registrations).forEach(state -> states.put(state.task(), state));
    }
  }

  static String name(int task) {
    return "bench-" + task;
  }

  ReplicaId replica() {
    return replica;
  }

  /** One pass over all tasks, in batches as large as the engine's largest, by the caller. */
  Taken batches() throws Exception {
    return pass(TASKS, BATCH, 1, null);
  }

  /** One pass over some tasks, each claimed by a call of its own, on some threads at a time. */
  Taken singles(int tasks, int threads, ExecutorService executor) throws Exception {
    return pass(tasks, 1, threads, executor);
  }

  private Taken pass(int tasks, int batch, int threads, @Nullable ExecutorService executor)
      throws Exception {
    List<List<ClaimRequest>> claimed = new ArrayList<>();
    for (int from = 0; from < tasks; from += batch) {
      List<ClaimRequest> requests = new ArrayList<>();
      for (int i = from; i < Math.min(tasks, from + batch); i++) {
        requests.add(claim(state(name(i))));
      }
      claimed.add(requests);
    }
    List<ClaimReply> replies = Collections.synchronizedList(new ArrayList<>());
    long[] calls = new long[claimed.size()];
    long claimNanos =
        spread(claimed, calls, threads, executor, each -> replies.addAll(ledger.claim(each)));
    for (ClaimReply reply : replies) {
      if (reply.kind() != ClaimReply.Kind.CLAIMED) {
        throw new IllegalStateException("a claim was answered with " + reply);
      }
    }
    Instant now = ledger.now();
    List<List<FinishRequest>> ended =
        claimed.stream()
            .map(each -> each.stream().map(request -> finish(request, now)).toList())
            .toList();
    List<FinishReply> finishes = Collections.synchronizedList(new ArrayList<>());
    long finishNanos =
        spread(
            ended,
            new long[ended.size()],
            threads,
            executor,
            each -> finishes.addAll(ledger.finish(each)));
    for (FinishReply reply : finishes) {
      if (!reply.recorded()) {
        throw new IllegalStateException("a report was answered with " + reply);
      }
      states.put(reply.state().task(), reply.state());
    }
    Arrays.sort(calls);
    return new Taken(tasks, claimNanos, finishNanos, calls);
  }

  /** Makes all calls, each thread its share, and returns the wall time. */
  private static <Q> long spread(
      List<List<Q>> requests,
      long[] callNanos,
      int threads,
      @Nullable ExecutorService executor,
      Call<Q> call)
      throws Exception {
    List<Callable<Boolean>> shares = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int first = thread;
      shares.add(
          () -> {
            for (int i = first; i < requests.size(); i += threads) {
              long start = System.nanoTime();
              call.make(requests.get(i));
              callNanos[i] = System.nanoTime() - start;
            }
            return true;
          });
    }
    long start = System.nanoTime();
    if (executor == null) {
      for (Callable<Boolean> share : shares) {
        share.call();
      }
    } else {
      for (Future<Boolean> done : executor.invokeAll(shares)) {
        done.get();
      }
    }
    return System.nanoTime() - start;
  }

  private TaskState state(String task) {
    TaskState state = states.get(task);
    if (state == null) {
      throw new IllegalStateException(task + " was not registered");
    }
    return state;
  }

  private ClaimRequest claim(TaskState seen) {
    return new ClaimRequest(
        new ClaimId(replica, ++claims),
        TickId.scheduled(seen.task(), seen.cursor().plus(STEP)),
        seen,
        List.of(),
        OnOverlap.SKIP,
        Effect.AT_MOST_ONCE,
        null);
  }

  private static FinishRequest finish(ClaimRequest claimed, Instant now) {
    return new FinishRequest(
        claimed.claim(),
        claimed.tick(),
        new FinishRequest.Ended(Outcome.SUCCEEDED, null, now, now, true));
  }
}
