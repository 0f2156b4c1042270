package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.leader.Candidacy;
import dev.monotick.leader.Fence;
import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply.Kind;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.FinishRequest.Ended;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class InMemoryLinkTest {

  private static final String TASK = "report";
  private static final Instant DUE = FakeTime.START.plusSeconds(60);
  private static final TickId TICK = TickId.scheduled(TASK, DUE);
  private static final TickId TRIGGERED = TickId.triggered(TASK, DUE, "key");

  private final FakeTime time = new FakeTime();
  private final InMemoryStore store = InMemoryStore.builder().time(time.timeSource()).build();
  private final InMemoryStore.Link link = store.connect();
  private final Ledger ledger = link.ledger();
  private final ReplicaRegistry replicas = link.replicas();
  private final ReplicaId a = ReplicaId.random();
  private final ReplicaInfo info = new ReplicaInfo(a, "host-a", FakeTime.START, Set.of(TASK));
  private final ClaimId claim = new ClaimId(a, 1);
  private final Candidacy candidacy =
      link.leaders().candidate("default", a, link.leaders().defaultTiming());

  @BeforeEach
  void register() {
    store.ledger().register(List.of(new TaskRegistration(TASK, "every PT1M", FakeTime.START)));
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
    TaskState before = state();
    calls()
        .forEach(
            (name, call) ->
                assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("link 1"));
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
    ClaimRequest request = request();
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
        .join(new ReplicaInfo(ReplicaId.random(), "host-b", FakeTime.START, Set.of()), true);
    link.loseReplies();
    assertThatThrownBy(() -> replicas.join(info, false)).isInstanceOf(StoreException.class);
  }

  @Test
  void otherLinksStayWhole() {
    InMemoryStore.Link other = store.connect();
    link.cut();
    assertThat(other.ledger().claim(List.of(request())).get(0).kind()).isEqualTo(Kind.CLAIMED);
  }

  @Test
  void leaderBehindACutLinkLosesItsTermToAnother() {
    Fence old = candidacy.tryAcquire().orElseThrow();
    Candidacy other =
        store.leaders().candidate("default", ReplicaId.random(), store.leaders().defaultTiming());
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
    ledger.whenWaiting(waiting::incrementAndGet);
    candidacy.whenFreed(freed::incrementAndGet);
    Candidacy other =
        store.leaders().candidate("default", ReplicaId.random(), store.leaders().defaultTiming());
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
    TaskState seen = state();
    Gap gap = Gap.missed(DUE, DUE, 1);
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>(); // each builds on those before
    calls.put("mintFence", () -> ledger.mintFence("default", a));
    calls.put(
        "register",
        () -> ledger.register(List.of(new TaskRegistration("new", "x", FakeTime.START))));
    calls.put("states", () -> ledger.states(List.of(TASK)));
    calls.put("claim", () -> ledger.claim(List.of(request())));
    calls.put(
        "take",
        () ->
            ledger.take(
                List.of(
                    TakeRequest.of(claim, TRIGGERED, OnOverlap.WAIT, Effect.AT_MOST_ONCE, null))));
    calls.put(
        "account", () -> ledger.account(List.of(new AccountRequest(seen, List.of(gap), null))));
    calls.put(
        "finish",
        () ->
            ledger.finish(
                List.of(
                    new FinishRequest(
                        claim, TICK, new Ended(Outcome.FAILED, null, null, DUE, true)))));
    calls.put("pause", () -> ledger.pause(TASK, new Pause("ann", "why", DUE)));
    calls.put("resume", () -> ledger.resume(state(), List.of()));
    calls.put("trigger", () -> ledger.trigger(TRIGGERED));
    calls.put("rescue", () -> ledger.rescue(a, List.of(TASK)));
    calls.put("history", () -> ledger.history(TASK, 10));
    calls.put("join", () -> replicas.join(info, false));
    calls.put("beat", () -> replicas.beat(a));
    calls.put("update", () -> replicas.update(info));
    calls.put("leave", () -> replicas.leave(a));
    calls.put("live", replicas::live);
    calls.put("tryAcquire", candidacy::tryAcquire);
    calls.put("renew", () -> candidacy.renew(new Fence(1, 1)));
    calls.put("release", () -> candidacy.release(new Fence(1, 1)));
    return calls;
  }

  private ClaimRequest request() {
    return new ClaimRequest(
        claim, TICK, state(), List.of(), OnOverlap.SKIP, Effect.AT_MOST_ONCE, null);
  }

  private TaskState state() {
    return store.ledger().states(List.of(TASK)).get(0);
  }
}
