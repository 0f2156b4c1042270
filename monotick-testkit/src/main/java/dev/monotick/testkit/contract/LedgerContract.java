package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickReport.GivenBack;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.testkit.FakeTime;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
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
  static final SeriesPause BY_HAND = new SeriesPause("ann", "upgrade", minute(100));

  final MemberId a = MemberId.random();
  final MemberId b = MemberId.random();
  final MemberId c = MemberId.random();

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

  final void join(MemberId... members) {
    for (MemberId id : members) {
      replicas().join(new MemberInfo(id, "host-" + id, ledger().now(), Set.of(TASK)), false);
    }
  }

  /** Joins again as the process of that replica. */
  final void rejoin(MemberId former) {
    MemberInfo info =
        new MemberInfo(former.successor(), "host-" + former, ledger().now(), Set.of(TASK));
    assertThat(replicas().join(info, false, Set.of(former))).isTrue();
  }

  /** Lets all replicas fall silent until they are gone, but for the survivors. */
  final void loseAllBut(MemberId... survivors) {
    Duration half = replicas().timing().leaseDuration().dividedBy(2);
    for (int i = 0; i < 2; i++) {
      letTimePass(half);
      for (MemberId survivor : survivors) {
        assertThat(replicas().heartbeat(survivor)).isPresent();
      }
    }
  }

  final SeriesState register(String task) {
    return ledger().register(List.of(new SeriesRegistration(task, SCHEDULE, minute(0)))).get(0);
  }

  final SeriesState state() {
    return ledger().states(List.of(TASK)).get(0);
  }

  final TickClaimId newClaim(MemberId replica) {
    return new TickClaimId(replica, claims.incrementAndGet());
  }

  final TickClaim request(MemberId replica, int minute) {
    return request(replica, minute, OverlapRule.SKIP, Effect.AT_MOST_ONCE);
  }

  final TickClaim request(MemberId replica, int minute, OverlapRule onOverlap) {
    return request(replica, minute, onOverlap, Effect.AT_MOST_ONCE);
  }

  final TickClaim request(
      MemberId replica,
      int minute,
      OverlapRule onOverlap,
      Effect effect,
      TickRecord.Range... gaps) {
    return new TickClaim(
        newClaim(replica), tick(minute), state(), List.of(gaps), onOverlap, effect, null);
  }

  static TickClaim as(Fence fence, TickClaim request) {
    return new TickClaim(
        request.claim(),
        request.tick(),
        request.seen(),
        request.ranges(),
        request.onOverlap(),
        request.effect(),
        new LeaderProof(GROUP, fence));
  }

  final TickClaimReply claim(TickClaim request) {
    return ledger().claim(List.of(request)).get(0);
  }

  /** Claims a tick that is free, and returns the claim. */
  final TickClaimId claimed(MemberId replica, int minute) {
    return claimed(request(replica, minute));
  }

  final TickClaimId claimed(TickClaim request) {
    TickClaimReply reply = claim(request);
    if (reply.kind() != TickClaimReply.Kind.CLAIMED) {
      throw new AssertionError("expected " + request.tick() + " to be claimed, but was " + reply);
    }
    return request.claim();
  }

  final TickTake takeRequest(MemberId replica, TickId tick, OverlapRule onOverlap) {
    return TickTake.of(newClaim(replica), tick, onOverlap, Effect.AT_LEAST_ONCE, null);
  }

  final TickClaimReply take(TickTake request) {
    return ledger().take(List.of(request)).get(0);
  }

  final TickClaimReply take(MemberId replica, TickId tick) {
    return take(takeRequest(replica, tick, OverlapRule.WAIT));
  }

  /** Takes a tick that waits, and returns the claim. */
  final TickClaimId taken(MemberId replica, TickId tick) {
    TickTake request = takeRequest(replica, tick, OverlapRule.WAIT);
    TickClaimReply reply = take(request);
    if (reply.kind() != TickClaimReply.Kind.CLAIMED) {
      throw new AssertionError("expected " + tick + " to be taken, but was " + reply);
    }
    return request.claim();
  }

  final TickReportReply finish(TickReport request) {
    return ledger().report(List.of(request)).get(0);
  }

  /** Reports an outcome as known at that minute, half a minute after the body was started. */
  final TickReportReply finish(TickClaimId claim, TickId tick, Outcome outcome, int minute) {
    return finish(ended(claim, tick, outcome, minute, true));
  }

  static TickReport ended(
      TickClaimId claim, TickId tick, Outcome outcome, int minute, boolean bodyEnded) {
    Instant at = minute(minute);
    return new TickReport(
        claim, tick, new Ended(outcome, "said so", at.minusSeconds(30), at, bodyEnded));
  }

  /** Gives a tick back whose body was started. */
  final TickReportReply giveBack(TickClaimId claim, TickId tick) {
    return finish(new TickReport(claim, tick, new GivenBack("shutting down", true)));
  }

  final TickReportReply giveBackUnstarted(TickClaimId claim, TickId tick) {
    return finish(new TickReport(claim, tick, new GivenBack("shutting down", false)));
  }

  final TickRescue rescue(MemberId replica) {
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
