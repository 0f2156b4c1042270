package dev.monotick.bench.postgres;

import dev.monotick.spi.Store;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
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

  private final TickLedger ledger;
  private final MemberId replica = MemberId.random();
  private final Map<String, SeriesState> states = new HashMap<>();
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
    store.replicas().join(new MemberInfo(replica, "bench", start, Set.of()), false);
    for (int from = 0; from < TASKS; from += BATCH) {
      List<SeriesRegistration> registrations = new ArrayList<>();
      for (int i = from; i < Math.min(TASKS, from + BATCH); i++) {
        registrations.add(new SeriesRegistration(name(i), "@every 1ms", start));
      }
      ledger.register(registrations).forEach(state -> states.put(state.task(), state));
    }
  }

  static String name(int task) {
    return "bench-" + task;
  }

  MemberId replica() {
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
    List<List<TickClaim>> claimed = new ArrayList<>();
    for (int from = 0; from < tasks; from += batch) {
      List<TickClaim> requests = new ArrayList<>();
      for (int i = from; i < Math.min(tasks, from + batch); i++) {
        requests.add(claim(state(name(i))));
      }
      claimed.add(requests);
    }
    List<TickClaimReply> replies = Collections.synchronizedList(new ArrayList<>());
    long[] calls = new long[claimed.size()];
    long claimNanos =
        spread(claimed, calls, threads, executor, each -> replies.addAll(ledger.claim(each)));
    for (TickClaimReply reply : replies) {
      if (reply.kind() != TickClaimReply.Kind.CLAIMED) {
        throw new IllegalStateException("a claim was answered with " + reply);
      }
    }
    Instant now = ledger.now();
    List<List<TickReport>> ended =
        claimed.stream()
            .map(each -> each.stream().map(request -> finish(request, now)).toList())
            .toList();
    List<TickReportReply> finishes = Collections.synchronizedList(new ArrayList<>());
    long finishNanos =
        spread(
            ended,
            new long[ended.size()],
            threads,
            executor,
            each -> finishes.addAll(ledger.report(each)));
    for (TickReportReply reply : finishes) {
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

  private SeriesState state(String task) {
    SeriesState state = states.get(task);
    if (state == null) {
      throw new IllegalStateException(task + " was not registered");
    }
    return state;
  }

  private TickClaim claim(SeriesState seen) {
    return new TickClaim(
        new TickClaimId(replica, ++claims),
        TickId.scheduled(seen.task(), seen.cursor().plus(STEP)),
        seen,
        List.of(),
        OverlapRule.SKIP,
        Effect.AT_MOST_ONCE,
        null);
  }

  private static TickReport finish(TickClaim claimed, Instant now) {
    return new TickReport(
        claimed.claim(),
        claimed.tick(),
        new TickReport.Ended(Outcome.SUCCEEDED, null, now, now, true));
  }
}
