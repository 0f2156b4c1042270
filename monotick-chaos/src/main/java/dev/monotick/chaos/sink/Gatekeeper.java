package dev.monotick.chaos.sink;

import dev.monotick.chaos.sink.Effect.Kind;
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
final class Gatekeeper {

  private final Map<String, Fence> newest = new HashMap<>();
  private final Set<String> keys = new HashSet<>();

  Verdict judge(Effect effect) {
    if (effect.kind() == Kind.IDEMPOTENT) {
      return keys.add(effect.key()) ? Verdict.ACCEPTED : Verdict.REPEATED;
    }
    Fence fence = effect.fence();
    if (effect.kind() == Kind.PLAIN) {
      return Verdict.ACCEPTED;
    }
    if (fence == null) {
      return Verdict.STALE; // older than any
    }
    Fence known = newest.get(effect.group());
    if (known != null && known.isNewerThan(fence)) {
      return Verdict.STALE;
    }
    newest.put(effect.group(), fence);
    return Verdict.ACCEPTED;
  }
}
