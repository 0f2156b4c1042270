package dev.monotick.engine.base;

import dev.monotick.spi.replica.MemberId;

/**
 * Under which id this process is a member: another one after each membership that was lost.
 *
 * <p>Written on the loop, read anywhere.
 */
public final class MemberIdentity {

  private volatile MemberId current;

  public MemberIdentity(MemberId first) {
    this.current = first;
  }

  MemberId current() {
    return current;
  }

  /** Gives up the current id for good. */
  public void renew() {
    current = current.successor();
  }
}
