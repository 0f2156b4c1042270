package dev.monotick.engine.tick;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.member.LocalLease;
import dev.monotick.engine.observe.EngineTelemetry;
import dev.monotick.spi.replica.MemberInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a task's loop asks of its engine. */
public interface TaskHost {

  /** Returns the time by the store's clock. */
  Instant now();

  /** Says whether ticks may begin. */
  boolean isRunning();

  /** Has the loop woken when that time has come, instead of when it asked before. */
  void scheduleAt(TaskLoop loop, Instant time);

  /** Has the loop look again when it was next proven that this replica lives. */
  void refreshLater(TaskLoop loop);

  /** Asks the ledger what waits. */
  void rescueSoon(LedgerClient ledger);

  /** Returns this replica's term of the group, null if it does not lead it. */
  @Nullable HeldTerm term(String group);

  /** The ledger refused the term's fence. */
  void fenced(HeldTerm term);

  /** Returns the live replicas; empty while this one is not proven to live. */
  List<MemberInfo> live();

  /**
   * Returns the registration of another replica that counts for the task, null if this one's does.
   */
  ReplicaDifferences.@Nullable Winner winner(String task);

  /** Returns the proof that this replica lives, null if there is none. */
  @Nullable LocalLease membershipLease();

  EngineContext context();

  TaskBodies bodies();

  EngineTelemetry telemetry();
}
