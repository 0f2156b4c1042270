package dev.monotick.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.testkit.FakeTime;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FaultyStoreTest {

  private static final String TASK = "report";
  private static final Instant DUE = FakeTime.START.plusSeconds(60);
  private static final TickId TICK = TickId.scheduled(TASK, DUE);
  private static final TickId TRIGGERED = TickId.triggered(TASK, DUE, "key");

  private final FakeTime time = new FakeTime();
  private final InMemoryStore store = InMemoryStore.builder().time(time.timeSource()).build();
  private final FaultyStore link = FaultyStore.to(store);
  private final TickLedger ledger = link.ledger();
  private final MemberRegistry replicas = link.replicas();
  private final MemberId a = MemberId.random();
  private final MemberInfo info = new MemberInfo(a, "host-a", FakeTime.START, Set.of(TASK));
  private final TickClaimId claim = new TickClaimId(a, 1);
  private final Candidacy candidacy =
      link.leaders().candidate("default", a, link.leaders().defaultTiming());

  @BeforeEach
  void register() {
    store.ledger().register(List.of(new SeriesRegistration(TASK, "every PT1M", FakeTime.START)));
  }

  @Test
  void wholeLinkIsTheStore() {
    replicas.join(info, false);
    assertThat(ledger.claim(List.of(request())).get(0).kind()).isEqualTo(Kind.CLAIMED);
    assertThat(store.replicas().live()).containsExactly(info);
    assertThat(state().open()).isEqualTo(1);
  }

  @Test
  void noCallPassesACutLink() {
    link.cut();
    SeriesState before = state();
    calls()
        .forEach(
            (name, call) ->
                assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("link"));
    assertThat(state()).isEqualTo(before);
    assertThat(store.ledger().history(TASK, 10)).isEmpty();
    assertThat(store.replicas().live()).isEmpty();
    assertThat(store.ledger().mintFence("default", a)).isEqualTo(new Fence(1, 1));
    link.heal();
    calls().forEach((name, call) -> assertThatCode(call).as(name).doesNotThrowAnyException());
  }

  @Test
  void everyReplyIsLostButTheCallTakesEffect() {
    link.loseReplies();
    calls()
        .forEach(
            (name, call) ->
                assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(name));
    assertThat(state().cursor()).isAfter(FakeTime.START);
    assertThat(store.ledger().history(TASK, 10)).isNotEmpty();
    assertThat(store.ledger().mintFence("default", a).epoch()).isGreaterThan(1);
  }

  @Test
  void whatNeedsNoExchangeGoesOnWhileTheLinkIsCut() {
    link.cut();
    assertThat(ledger.now()).isEqualTo(FakeTime.START);
    assertThat(ledger.clockOffset()).isZero();
    assertThat(ledger.effects()).isEqualTo(store.ledger().effects());
    assertThat(replicas.timing()).isEqualTo(InMemoryStore.DEFAULT_LEASE_TIMING);
    candidacy.abandon();
    candidacy.close();
  }

  @Test
  void claimWhoseReplyWasLostIsFoundAgain() {
    TickClaim request = request();
    link.loseReplies();
    assertThatThrownBy(() -> ledger.claim(List.of(request))).isInstanceOf(StoreException.class);
    link.heal();
    assertThat(ledger.claim(List.of(request)).get(0).kind()).isEqualTo(Kind.CLAIMED);
    assertThat(state().open()).isEqualTo(1);
  }

  @Test
  void refusalIsLostLikeAnyReply() {
    store
        .replicas()
        .join(new MemberInfo(MemberId.random(), "host-b", FakeTime.START, Set.of()), true);
    link.loseReplies();
    assertThatThrownBy(() -> replicas.join(info, false)).isInstanceOf(StoreException.class);
  }

  @Test
  void otherLinksStayWhole() {
    FaultyStore other = FaultyStore.to(store);
    link.cut();
    assertThat(other.ledger().claim(List.of(request())).get(0).kind()).isEqualTo(Kind.CLAIMED);
  }

  @Test
  void leaderBehindACutLinkLosesItsTermToAnother() {
    Fence old = candidacy.tryAcquire().orElseThrow();
    Candidacy other =
        store.leaders().candidate("default", MemberId.random(), store.leaders().defaultTiming());
    link.cut();
    assertThat(other.tryAcquire()).isEmpty();
    time.advance(store.leaders().defaultTiming().leaseDuration());
    assertThat(other.tryAcquire()).isPresent();
    link.heal();
    assertThat(candidacy.renew(old)).isFalse();
  }

  @Test
  void hintsDoNotPassACutLink() {
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger freed = new AtomicInteger();
    ledger.onWaiting(waiting::incrementAndGet);
    candidacy.whenFreed(freed::incrementAndGet);
    Candidacy other =
        store.leaders().candidate("default", MemberId.random(), store.leaders().defaultTiming());
    link.cut();
    store.ledger().trigger(TickId.triggered(TASK, DUE, "one"));
    other.release(other.tryAcquire().orElseThrow());
    assertThat(waiting).hasValue(0);
    assertThat(freed).hasValue(0);
    link.heal();
    store.ledger().trigger(TickId.triggered(TASK, DUE, "two"));
    other.release(other.tryAcquire().orElseThrow());
    assertThat(waiting).hasValue(1);
    assertThat(freed).hasValue(1);
    candidacy.close();
    other.release(other.tryAcquire().orElseThrow());
    assertThat(freed).as("closed").hasValue(1);
  }

  /** All calls that need an exchange with the store, by name. */
  private Map<String, ThrowingCallable> calls() {
    SeriesState seen = state();
    TickRecord.Range gap = TickRecord.Range.missed(DUE, DUE, 1);
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>(); // each builds on those before
    calls.put("mintFence", () -> ledger.mintFence("default", a));
    calls.put(
        "register",
        () -> ledger.register(List.of(new SeriesRegistration("new", "x", FakeTime.START))));
    calls.put("states", () -> ledger.states(List.of(TASK)));
    calls.put("claim", () -> ledger.claim(List.of(request())));
    calls.put(
        "take",
        () ->
            ledger.take(
                List.of(
                    TickTake.of(claim, TRIGGERED, OverlapRule.WAIT, Effect.AT_MOST_ONCE, null))));
    calls.put("account", () -> ledger.account(List.of(new TickAccount(seen, List.of(gap), null))));
    calls.put(
        "finish",
        () ->
            ledger.report(
                List.of(
                    new TickReport(
                        claim, TICK, new Ended(Outcome.FAILED, null, null, DUE, true)))));
    calls.put("pause", () -> ledger.pause(TASK, new SeriesPause("ann", "why", DUE)));
    calls.put("resume", () -> ledger.resume(state(), List.of()));
    calls.put("trigger", () -> ledger.trigger(TRIGGERED));
    calls.put("rescue", () -> ledger.rescue(a, List.of(TASK)));
    calls.put("history", () -> ledger.history(TASK, 10));
    calls.put("join", () -> replicas.join(info, false));
    calls.put("beat", () -> replicas.heartbeat(a));
    calls.put("update", () -> replicas.update(info));
    calls.put("leave", () -> replicas.leave(a));
    calls.put("live", replicas::live);
    calls.put("tryAcquire", candidacy::tryAcquire);
    calls.put("renew", () -> candidacy.renew(new Fence(1, 1)));
    calls.put("release", () -> candidacy.release(new Fence(1, 1)));
    return calls;
  }

  private TickClaim request() {
    return new TickClaim(
        claim, TICK, state(), List.of(), OverlapRule.SKIP, Effect.AT_MOST_ONCE, null);
  }

  private SeriesState state() {
    return store.ledger().states(List.of(TASK)).get(0);
  }
}
