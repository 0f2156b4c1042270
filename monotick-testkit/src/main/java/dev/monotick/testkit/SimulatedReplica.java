package dev.monotick.testkit;

import dev.monotick.Monotick;
import dev.monotick.testkit.fault.FaultyStore;
import org.jspecify.annotations.Nullable;

/** One replica of a {@link SimulatedCluster}: a machine, and what runs on it. */
final class SimulatedReplica {

  final String name;
  final FaultyStore link;
  final ReplicaClock clock;
  Way way = Way.WHOLE;
  ManualThreads threads;
  @Nullable Monotick engine;

  /** How well it reaches the store. */
  enum Way {
    WHOLE,
    CUT,
    LOSES_REPLIES
  }

  SimulatedReplica(String name, FaultyStore link, ReplicaClock clock, ManualThreads threads) {
    this.name = name;
    this.link = link;
    this.clock = clock;
    this.threads = threads;
  }

  /** Remembers how well it reaches the store, while that is there. */
  void connect(Way wanted, boolean storeDown) {
    way = wanted;
    if (storeDown || wanted == Way.CUT) {
      link.cut();
    } else if (wanted == Way.LOSES_REPLIES) {
      link.loseReplies();
    } else {
      link.heal();
    }
  }
}
