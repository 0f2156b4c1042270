package dev.monotick.micrometer;

import dev.monotick.leader.Fence;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/** The meters of one leadership group. */
final class GroupMeters {

  // Written on the engine's loop, read by whoever scrapes.
  private volatile boolean leads;
  private volatile long epoch;

  GroupMeters(Meters meters, String group) {
    Tags tags = Tags.of("group", group);
    meters.gauge(
        "monotick.leader", "1 while this replica leads the group", null, tags, () -> leads ? 1 : 0);
    meters.gauge(
        "monotick.leader.epoch", "epoch of this replica's last term", null, tags, () -> epoch);
  }

  void changed(boolean leader, @Nullable Fence fence) {
    if (fence != null) {
      epoch = fence.epoch();
    }
    leads = leader;
  }
}
