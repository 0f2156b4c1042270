package dev.monotick.testkit;

import dev.monotick.engine.thread.Result;
import dev.monotick.leader.Fence;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one process may rely on, worked out from the messages it sent and got alone: a lease counts
 * D - M from when the request was sent that was acknowledged, and once over it stays over. The
 * engine has its own idea of this; the two are compared.
 */
final class Standing {

  private final ReplicaClock clock;
  private final long trusted;
  private boolean member;
  private long joinSent;
  private long memberUntil;
  private int membership;
  private @Nullable Fence term;
  private long termUntil;

  Standing(ReplicaClock clock, long trustedNanos) {
    this.clock = clock;
    this.trusted = trustedNanos;
  }

  boolean isMember() {
    return member && clock.nanosWithSleep() - memberUntil < 0;
  }

  /** Returns a number for this membership: one that was lost and gained again is another. */
  int membership() {
    return membership;
  }

  boolean holds(Fence fence) {
    return fence.equals(term) && clock.nanosWithSleep() - termUntil < 0;
  }

  /** Ends the term, and returns which one it was, if there was any. */
  @Nullable Fence releases() {
    Fence held = term;
    term = null;
    return held;
  }

  /** An answer came. */
  void delivered(Call call, long sent, Result<?> result) {
    if (!result.isValue()) {
      return;
    }
    switch (call) {
      case JOIN -> {
        membership++;
        member = true;
        joinSent = sent;
        memberUntil = sent + trusted;
      }
      case BEAT -> {
        if (sent - joinSent < 0) {
          return; // of a membership that was lost since
        }
        Optional<?> live = (Optional<?>) result.value();
        member = isMember() && live.isPresent();
        memberUntil = sent + trusted;
      }
      case ATTEMPT -> {
        Optional<?> granted = (Optional<?>) result.value();
        if (granted.isPresent()) {
          term = (Fence) granted.get();
          termUntil = sent + trusted;
        }
      }
      case RENEW -> {
        Fence held = term;
        boolean renewed = held != null && holds(held) && (Boolean) result.value();
        term = renewed ? held : null;
        termUntil = sent + trusted;
      }
      default -> {}
    }
  }
}
