package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.JoinRefusedException;
import dev.monotick.spi.replica.JoinPendingException;
import dev.monotick.spi.replica.MemberConfig;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.testkit.FakeTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every registry knows who is alive, and keeps those apart who must be alone. */
@Timeout(120)
public abstract class MemberRegistryContract extends StoreContract {

  private final MemberInfo a = info("host-a");
  private final MemberInfo b = info("host-b");

  /** For backends. */
  protected MemberRegistryContract() {}

  @Test
  void replicaThatJoinedIsAlive() {
    assertThat(replicas().live()).isEmpty();
    replicas().join(a, false);
    replicas().join(b, false);
    assertThat(replicas().live()).containsExactlyInAnyOrder(a, b);
  }

  @Test
  void joiningAgainChangesNothing() {
    replicas().join(a, false);
    replicas().join(a, false);
    assertThat(replicas().live()).containsExactly(a);
  }

  @Test
  void heartbeatReturnsTheLiveReplicas() {
    replicas().join(a, false);
    replicas().join(b, false);
    assertThat(replicas().heartbeat(a.id()).orElseThrow()).containsExactlyInAnyOrder(a, b);
  }

  @Test
  void othersLearnHowAReplicaIsConfigured() {
    MemberInfo first =
        new MemberInfo(
            a.id(),
            a.name(),
            a.startedAt(),
            a.tasks(),
            new MemberConfig("2025b", Set.of("mail"), Map.of("t", "mode=LEADER\ntimeout=PT2M\n")));
    MemberInfo changed =
        new MemberInfo(
            a.id(),
            a.name(),
            a.startedAt(),
            a.tasks(),
            new MemberConfig("2025b", Set.of("mail", "fax"), Map.of("t", "mode=LEADER\n")));
    replicas().join(b, false);
    replicas().join(first, false);
    assertThat(replicas().heartbeat(b.id()).orElseThrow()).containsExactlyInAnyOrder(first, b);
    replicas().update(changed);
    assertThat(replicas().heartbeat(b.id()).orElseThrow()).containsExactlyInAnyOrder(changed, b);
  }

  @Test
  void replicaThatNeverJoinedHasNoHeartbeat() {
    assertThat(replicas().heartbeat(a.id())).isEmpty();
    assertThat(replicas().live()).isEmpty();
  }

  @Test
  void replicaThatIsGoneNeverComesBack() {
    assertThat(replicas().join(a, false)).isTrue();
    letTimePass(lease());
    assertThat(replicas().live()).isEmpty();
    assertThat(replicas().heartbeat(a.id())).as("by a beat").isEmpty();
    assertThat(replicas().heartbeat(a.id())).as("by another beat").isEmpty();
    assertThat(replicas().join(a, false)).as("by joining").isFalse();
    assertThat(replicas().live()).isEmpty();
  }

  @Test
  void processThatWasGoneJoinsUnderAnotherId() {
    replicas().join(a, false);
    letTimePass(lease());
    MemberInfo again = successor(a);
    assertThat(replicas().join(again, false, Set.of(a.id()))).isTrue();
    assertThat(replicas().heartbeat(again.id())).contains(List.of(again));
    assertThat(replicas().heartbeat(a.id())).isEmpty();
  }

  @Test
  void processThatGaveUpItsMembershipIsNotInItsOwnWay() {
    replicas().join(a, true);
    MemberInfo again = successor(a);
    assertThat(replicas().join(again, true, Set.of(a.id()))).isTrue();
    assertThat(replicas().heartbeat(a.id())).as("the earlier one is gone at once").isEmpty();
    assertThat(replicas().live()).containsExactly(again);
    assertThat(replicas().join(a, true)).isFalse();
  }

  /** Returns whether two live replicas of one name are told apart. */
  protected boolean keepsNamesUnique() {
    return true;
  }

  @Test
  void secondReplicaOfTheSameNameIsRefusedByNameOfTheFirst() {
    replicas().join(a, false);
    if (!keepsNamesUnique()) {
      assertThat(replicas().join(info(a.name()), false)).isTrue();
      return;
    }
    MemberInfo twin = info(a.name());
    assertThatThrownBy(() -> replicas().join(twin, false))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining(a.id().toString())
        .hasMessageContaining("same name");
    assertThat(replicas().live()).containsExactly(a);
  }

  @Test
  void silentReplicaIsReplacedByANewcomerOfItsNameAfterItsLease() {
    if (!keepsNamesUnique()) {
      replicas().join(a, false);
      assertThat(replicas().join(info(a.name()), false)).isTrue();
      return;
    }
    newcomerTakesThePlaceOfASilentReplica(info(a.name()), false);
  }

  @Test
  void silentReplicaThatMustBeAloneIsReplacedByAnotherAfterItsLease() {
    newcomerTakesThePlaceOfASilentReplica(b, true);
  }

  private void newcomerTakesThePlaceOfASilentReplica(MemberInfo newcomer, boolean alone) {
    MemberRegistry elsewhere = replicasOfAnotherProcess();
    replicas().join(a, alone);
    letTimePass(replicas().timing().renewInterval().multipliedBy(2)); // in which it misses beats
    assertThatThrownBy(() -> elsewhere.join(newcomer, alone))
        .as("while the lease of the silent replica runs")
        .isInstanceOf(JoinPendingException.class)
        .hasMessageContaining(a.id().toString());
    letTimePass(lease());
    assertThat(elsewhere.join(newcomer, alone)).isTrue();
    assertThat(elsewhere.live()).containsExactly(newcomer);
    assertThat(replicas().heartbeat(a.id())).as("a late beat of the silent replica").isEmpty();
    assertThat(replicas().join(a, alone)).as("its id").isFalse();
    MemberInfo again = successor(a);
    assertThatThrownBy(() -> replicas().join(again, alone, Set.of(a.id())))
        .as("its process, under another id")
        .isInstanceOfAny(JoinPendingException.class, JoinRefusedException.class)
        .hasMessageContaining(newcomer.id().toString());
    assertThat(elsewhere.heartbeat(newcomer.id())).contains(List.of(newcomer));
  }

  @Test
  void liveReplicaIsNotReplacedByANewcomerOfItsName() {
    if (!keepsNamesUnique()) {
      replicas().join(a, false);
      assertThat(replicas().join(info(a.name()), false)).isTrue();
      return;
    }
    liveReplicaIsNotReplaced(info(a.name()), false);
  }

  @Test
  void liveReplicaThatMustBeAloneIsNotReplaced() {
    liveReplicaIsNotReplaced(b, true);
  }

  private void liveReplicaIsNotReplaced(MemberInfo newcomer, boolean alone) {
    MemberRegistry elsewhere = replicasOfAnotherProcess();
    replicas().join(a, alone);
    assertThatThrownBy(() -> elsewhere.join(newcomer, alone))
        .as("before it beat, or was seen to")
        .isInstanceOfAny(JoinPendingException.class, JoinRefusedException.class)
        .hasMessageContaining(a.id().toString());
    assertThat(replicas().heartbeat(a.id())).contains(List.of(a));
    assertThatThrownBy(() -> elsewhere.join(newcomer, alone))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining(a.id().toString());
    assertThat(elsewhere.live()).containsExactly(a);
  }

  private static MemberInfo successor(MemberInfo info) {
    return new MemberInfo(info.id().successor(), info.name(), info.startedAt(), info.tasks());
  }

  @Test
  void replicaThatSendsHeartbeatsStays() {
    replicas().join(a, false);
    replicas().join(b, false);
    for (int i = 0; i < 3; i++) {
      letTimePass(lease().dividedBy(2));
      assertThat(replicas().heartbeat(a.id())).isPresent();
    }
    assertThat(replicas().live()).containsExactly(a);
  }

  @Test
  void replicaThatLeavesIsGoneAtOnce() {
    replicas().join(a, false);
    replicas().join(b, false);
    replicas().leave(a.id());
    replicas().leave(a.id());
    assertThat(replicas().live()).containsExactly(b);
    assertThat(replicas().heartbeat(a.id())).isEmpty();
  }

  @Test
  void updateReplacesWhatTheOthersKnow() {
    replicas().join(a, false);
    MemberInfo more = new MemberInfo(a.id(), a.name(), a.startedAt(), Set.of("one", "two"));
    replicas().update(more);
    assertThat(replicas().live()).containsExactly(more);
  }

  @Test
  void updateBringsNobodyBack() {
    replicas().update(a);
    assertThat(replicas().live()).isEmpty();
    replicas().join(b, false);
    letTimePass(lease());
    replicas().update(b);
    assertThat(replicas().live()).isEmpty();
  }

  @Test
  void replicaThatMustBeAloneIsRefusedBesideAnother() {
    replicas().join(a, false);
    assertThatThrownBy(() -> replicas().join(b, true))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("host-a")
        .hasMessageContaining("alone");
    assertThat(replicas().live()).containsExactly(a);
  }

  @Test
  void nobodyJoinsBesideOneThatMustBeAlone() {
    replicas().join(a, true);
    assertThatThrownBy(() -> replicas().join(b, false))
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("host-a")
        .hasMessageContaining("alone");
    assertThatThrownBy(() -> replicas().join(b, true)).isInstanceOf(JoinRefusedException.class);
    replicas().join(a, true);
    assertThat(replicas().live()).containsExactly(a);
  }

  @Test
  void oneThatMustBeAloneIsInNobodysWayOnceItIsGone() {
    replicas().join(a, true);
    replicas().leave(a.id());
    replicas().join(b, true);
    letTimePass(lease());
    MemberInfo again = successor(a);
    replicas().join(again, false);
    assertThat(replicas().live()).containsExactly(again);
  }

  @Test
  void oneOfManyThatMustBeAloneJoins() {
    List<Boolean> joined =
        Race.run(
            10,
            i -> {
              try {
                replicas().join(info("host-" + i), true);
                return true;
              } catch (JoinRefusedException refused) {
                return false;
              }
            });
    assertThat(joined).filteredOn(Predicate.isEqual(true)).hasSize(1);
    assertThat(replicas().live()).hasSize(1);
  }

  private Duration lease() {
    return replicas().timing().leaseDuration();
  }

  private static MemberInfo info(String name) {
    return new MemberInfo(MemberId.random(), name, FakeTime.START, Set.of("one"));
  }
}
