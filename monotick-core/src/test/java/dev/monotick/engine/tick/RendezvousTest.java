package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RendezvousTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private final List<MemberInfo> live = new ArrayList<>();

  RendezvousTest() {
    Random random = new Random(1);
    for (int i = 0; i < 4; i++) {
      MemberId id = new MemberId(new UUID(random.nextLong(), random.nextLong()));
      live.add(new MemberInfo(id, "r" + i, NOON, Set.of("t")));
    }
  }

  private int first(List<MemberInfo> members, Instant nominal) {
    for (int i = 0; i < members.size(); i++) {
      if (Rendezvous.rank(members.get(i).id(), members, "t", nominal) == 0) {
        return i;
      }
    }
    throw new AssertionError("nobody is first");
  }

  @Test
  void replicasAgreeOnOneOrder() {
    for (int tick = 0; tick < 100; tick++) {
      Instant nominal = NOON.plusSeconds(tick);
      assertThat(live.stream().map(r -> Rendezvous.rank(r.id(), live, "t", nominal)))
          .containsExactlyInAnyOrder(0, 1, 2, 3);
    }
  }

  @Test
  void loadIsEven() {
    int[] wins = new int[4];
    for (int tick = 0; tick < 10_000; tick++) {
      wins[first(live, NOON.plusSeconds(60L * tick))]++;
    }
    for (int count : wins) {
      assertThat(count).isBetween(2_300, 2_700);
    }
  }

  @Test
  void replicaThatLeavesMovesOnlyItsOwnTicks() {
    List<MemberInfo> rest = live.subList(0, 3);
    for (int tick = 0; tick < 1_000; tick++) {
      Instant nominal = NOON.plusSeconds(tick);
      int before = first(live, nominal);
      if (before < 3) {
        assertThat(first(rest, nominal)).isEqualTo(before);
      }
    }
  }

  @Test
  void replicaThatLacksTheTaskDoesNotCount() {
    MemberInfo self = live.get(0);
    List<MemberInfo> others = new ArrayList<>(List.of(self));
    for (MemberInfo other : live.subList(1, 4)) {
      others.add(new MemberInfo(other.id(), other.name(), NOON, Set.of("other")));
    }
    assertThat(Rendezvous.rank(self.id(), others, "t", NOON)).isZero();
  }
}
