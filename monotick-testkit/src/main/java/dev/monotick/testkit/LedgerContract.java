package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.FinishRequest.Ended;
import dev.monotick.ledger.FinishRequest.GivenBack;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.LeaderProof;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.task.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the suites of the ledger share: one task, due every minute, and short words for what is done
 * to it. Times are written as minutes after midnight.
 */
abstract class LedgerContract extends StoreContract {

  static final String TASK = "report";
  static final String SCHEDULE = "every PT1M";
  static final String GROUP = "default";
  static final Pause BY_HAND = new Pause("ann", "upgrade", minute(100));

  final ReplicaId a = ReplicaId.random();
  final ReplicaId b = ReplicaId.random();
  final ReplicaId c = ReplicaId.random();

  private final AtomicLong claims = new AtomicLong();

  LedgerContract() {}

  @BeforeEach
  final void registerTask() {
    join(a, b, c);
    register(TASK);
  }

  static Instant minute(int minute) {
    return FakeTime.START.plusSeconds(60L * minute);
  }

  static TickId tick(int minute) {
    return TickId.scheduled(TASK, minute(minute));
  }

  static TickId triggered(int minute, String key) {
    return TickId.triggered(TASK, minute(minute), key);
  }

  final void join(ReplicaId... members) {
    for (ReplicaId id : members) {
      replicas().join(new ReplicaInfo(id, "host-" + id, ledger().now(), Set.of(TASK)), false);
    }
  }

  /** Joins again as the process of that replica. */
  final void rejoin(ReplicaId former) {
    ReplicaInfo info =
        new ReplicaInfo(former.successor(), "host-" + former, ledger().now(), Set.of(TASK));
    assertThat(replicas().join(info, false, Set.of(former))).isTrue();
  }

  /** Lets all replicas fall silent until they are gone, but for the survivors. */
  final void loseAllBut(ReplicaId... survivors) {
    Duration half = replicas().timing().leaseDuration().dividedBy(2);
    for (int i = 0; i < 2; i++) {
      letTimePass(half);
      for (ReplicaId survivor : survivors) {
        assertThat(replicas().beat(survivor)).isPresent();
      }
    }
  }

  final TaskState register(String task) {
    return ledger().register(List.of(new TaskRegistration(task, SCHEDULE, minute(0)))).get(0);
  }

  final TaskState state() {
    return ledger().states(List.of(TASK)).get(0);
  }

  final ClaimId newClaim(ReplicaId replica) {
    return new ClaimId(replica, claims.incrementAndGet());
  }

  final ClaimRequest request(ReplicaId replica, int minute) {
    return request(replica, minute, OnOverlap.SKIP, Effect.AT_MOST_ONCE);
  }

  final ClaimRequest request(ReplicaId replica, int minute, OnOverlap onOverlap) {
    return request(replica, minute, onOverlap, Effect.AT_MOST_ONCE);
  }

  final ClaimRequest request(
      ReplicaId replica, int minute, OnOverlap onOverlap, Effect effect, Gap... gaps) {
    return new ClaimRequest(
        newClaim(replica), tick(minute), state(), List.of(gaps), onOverlap, effect, null);
  }

  static ClaimRequest as(Fence fence, ClaimRequest request) {
    return new ClaimRequest(
        request.claim(),
        request.tick(),
        request.seen(),
        request.gaps(),
        request.onOverlap(),
        request.effect(),
        new LeaderProof(GROUP, fence));
  }

  final ClaimReply claim(ClaimRequest request) {
    return ledger().claim(List.of(request)).get(0);
  }

  /** Claims a tick that is free, and returns the claim. */
  final ClaimId claimed(ReplicaId replica, int minute) {
    return claimed(request(replica, minute));
  }

  final ClaimId claimed(ClaimRequest request) {
    ClaimReply reply = claim(request);
    if (reply.kind() != ClaimReply.Kind.CLAIMED) {
      throw new AssertionError("expected " + request.tick() + " to be claimed, but was " + reply);
    }
    return request.claim();
  }

  final TakeRequest takeRequest(ReplicaId replica, TickId tick, OnOverlap onOverlap) {
    return TakeRequest.of(newClaim(replica), tick, onOverlap, Effect.AT_LEAST_ONCE, null);
  }

  final ClaimReply take(TakeRequest request) {
    return ledger().take(List.of(request)).get(0);
  }

  final ClaimReply take(ReplicaId replica, TickId tick) {
    return take(takeRequest(replica, tick, OnOverlap.WAIT));
  }

  /** Takes a tick that waits, and returns the claim. */
  final ClaimId taken(ReplicaId replica, TickId tick) {
    TakeRequest request = takeRequest(replica, tick, OnOverlap.WAIT);
    ClaimReply reply = take(request);
    if (reply.kind() != ClaimReply.Kind.CLAIMED) {
      throw new AssertionError("expected " + tick + " to be taken, but was " + reply);
    }
    return request.claim();
  }

  final FinishReply finish(FinishRequest request) {
    return ledger().finish(List.of(request)).get(0);
  }

  /** Reports an outcome as known at that minute, half a minute after the body was started. */
  final FinishReply finish(ClaimId claim, TickId tick, Outcome outcome, int minute) {
    return finish(ended(claim, tick, outcome, minute, true));
  }

  static FinishRequest ended(
      ClaimId claim, TickId tick, Outcome outcome, int minute, boolean bodyEnded) {
    Instant at = minute(minute);
    return new FinishRequest(
        claim, tick, new Ended(outcome, "said so", at.minusSeconds(30), at, bodyEnded));
  }

  /** Gives a tick back whose body was started. */
  final FinishReply giveBack(ClaimId claim, TickId tick) {
    return finish(new FinishRequest(claim, tick, new GivenBack("shutting down", true)));
  }

  final FinishReply giveBackUnstarted(ClaimId claim, TickId tick) {
    return finish(new FinishRequest(claim, tick, new GivenBack("shutting down", false)));
  }

  final Rescue rescue(ReplicaId replica) {
    return ledger().rescue(replica, Set.of(TASK));
  }

  final List<TickRecord> history() {
    return ledger().history(TASK, 100);
  }

  final TickRecord row(TickId tick) {
    return history().stream()
        .filter(row -> row.tick().equals(tick))
        .reduce(
            (one, other) -> {
              throw new AssertionError("two rows of one tick: " + one + " and " + other);
            })
        .orElseThrow(() -> new AssertionError("no row of " + tick + " in " + history()));
  }
}
