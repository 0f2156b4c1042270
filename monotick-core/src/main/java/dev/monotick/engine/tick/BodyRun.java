package dev.monotick.engine.tick;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.error.FencedException;
import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.FencedWork;
import dev.monotick.task.TaskBody;
import dev.monotick.task.TaskContext;
import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A body that runs, and what it sees. The fields that are not volatile or final belong to the loop;
 * the methods of {@link TaskContext} are called by the body, on its own thread.
 */
public final class BodyRun implements TaskContext {

  private final TaskLoop loop;
  private final ClaimedTick claimed;
  private final TaskBodies bodies;
  private final boolean slot;
  private volatile @Nullable TickCancelReason cancelReason;
  private volatile boolean committed;

  volatile @Nullable Instant startedAt;
  private EngineThreads.@Nullable Body thread;
  long deadline; // by the ticker
  boolean ended;

  BodyRun(TaskLoop loop, ClaimedTick claimed, TaskBodies bodies, boolean slot) {
    this.loop = loop;
    this.claimed = claimed;
    this.bodies = bodies;
    this.slot = slot;
  }

  public TaskLoop loop() {
    return loop;
  }

  public ClaimedTick claimed() {
    return claimed;
  }

  /** Says whether this is a piece of work in a slot, which the ledger knows nothing of. */
  boolean isSlot() {
    return slot;
  }

  /** Says whether the tick succeeded with a transaction of the body. */
  boolean hasCommitted() {
    return committed;
  }

  @Nullable TickCancelReason cancelReason() {
    return cancelReason;
  }

  void startedOn(EngineThreads.Body handle) {
    thread = handle;
    if (cancelReason != null) {
      handle.interrupt(); // it was cancelled before its thread was known
    }
  }

  /** Asks the body to stop, and interrupts it; the first reason stays. */
  void cancel(TickCancelReason reason) {
    if (cancelReason == null && !ended) {
      cancelReason = reason;
      EngineThreads.Body handle = thread;
      if (handle != null) {
        handle.interrupt();
      }
    }
  }

  @Override
  public TickId tick() {
    return claimed.tick();
  }

  @Override
  public int attempt() {
    return claimed.attempt();
  }

  @Override
  public String replica() {
    return bodies.context().replicaName();
  }

  @Override
  public String idempotencyKey() {
    String key = tick().idempotencyKey();
    return loop.mode().isExclusive() ? key : key + "@" + claimed.claim().replica();
  }

  @Override
  public Optional<Fence> fence() {
    HeldTerm term = claimed.term();
    return term == null ? Optional.empty() : Optional.of(term.fence());
  }

  @Override
  public boolean isCancelled() {
    // Term and membership are asked directly: they know that they are over before anybody tells.
    return cancelReason != null || claimed.authority().isOver();
  }

  @Override
  public void checkCancelled() throws InterruptedException {
    if (isCancelled()) {
      TickCancelReason reason = cancelReason;
      throw new InterruptedException(
          "tick "
              + tick()
              + " is cancelled: "
              + (reason == null ? TickCancelReason.LEADERSHIP_LOST.text : reason.text));
    }
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    checkCancelled();
    bodies.context().threads().sleep(duration, this::isCancelled);
    checkCancelled();
  }

  @Override
  public void fencedTransaction(DataSource dataSource, SqlWork work) throws SQLException {
    if (!loop.mode().isExclusive()) {
      throw new IllegalStateException(
          "task "
              + tick().task()
              + " runs as "
              + loop.mode()
              + ", where no other replica could have its tick: there is nothing to fence; use the"
              + " data source directly, or mode LEADER or ONE_REPLICA");
    }
    if (committed) {
      throw new IllegalStateException(
          "tick "
              + tick()
              + " succeeded with its first transaction; do all of a TRANSACTIONAL body's work in one");
    }
    if (isCancelled()) {
      throw new FencedException("tick " + tick() + " is cancelled; begin no more work, and return");
    }
    HeldTerm term = claimed.term();
    Effect effect = loop.spec().effect();
    loop.ledger()
        .ledger()
        .transact(
            new FencedWork(
                claimed.claim(), tick(), effect, term == null ? null : term.proof(), startedAt),
            dataSource,
            work);
    committed = effect == Effect.TRANSACTIONAL;
  }

  @Override
  public int freeSlots() {
    return loop.slots().free();
  }

  @Override
  public void runInSlot(TaskBody work) {
    bodies.startInSlot(this, work);
  }
}
