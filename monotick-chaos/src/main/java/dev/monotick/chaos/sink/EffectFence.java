package dev.monotick.chaos.sink;

import dev.monotick.chaos.sink.SinkEffect.Kind;
import dev.monotick.leader.Fence;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides on effects as any system can that keeps one number per group: an effect whose fence is
 * older than one it has seen is refused. It knows no leases, no clocks and no replicas. Not
 * thread-safe.
 */
final class EffectFence {

  private final Map<String, Fence> newest = new HashMap<>();
  private final Set<String> keys = new HashSet<>();

  EffectVerdict judge(SinkEffect effect) {
    if (effect.kind() == Kind.IDEMPOTENT) {
      return keys.add(effect.key()) ? EffectVerdict.ACCEPTED : EffectVerdict.REPEATED;
    }
    Fence fence = effect.fence();
    if (effect.kind() == Kind.PLAIN) {
      return EffectVerdict.ACCEPTED;
    }
    if (fence == null) {
      return EffectVerdict.STALE; // older than any
    }
    Fence known = newest.get(effect.group());
    if (known != null && known.isNewerThan(fence)) {
      return EffectVerdict.STALE;
    }
    newest.put(effect.group(), fence);
    return EffectVerdict.ACCEPTED;
  }
}
