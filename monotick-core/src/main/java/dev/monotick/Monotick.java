package dev.monotick;

import dev.monotick.engine.client.StoreJobs;
import dev.monotick.event.EventListener;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobKind;
import dev.monotick.job.Jobs;
import dev.monotick.job.PayloadCodec;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.spi.Store;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on this replica, so that each tick takes effect once however many replicas run.
 *
 * <p>Thread-safe. {@link #start} may be called again without effect while it runs; after {@link
 * #stop} an instance is used up, and {@code stop} may be called at any time and again.
 */
public interface Monotick extends AutoCloseable {

  /** How long {@link #close} lets bodies run on. */
  Duration DEFAULT_GRACE = Duration.ofSeconds(30);

  /** Begins an engine. */
  static MonotickBuilder builder() {
    return new MonotickBuilder();
  }

  /** Returns the jobs of a store, for a process that runs none of them. */
  static Jobs jobs(Store store) {
    return jobs(store, null);
  }

  /** Returns the jobs of a store, with payloads written by a codec; null for the default one. */
  static Jobs jobs(Store store, @Nullable PayloadCodec codec) {
    return new StoreJobs(store.jobs(), codec);
  }

  /**
   * Returns the identity of this replica. Another one after it lost its membership and joined
   * again.
   */
  UUID replicaId();

  /** Returns what people call this replica. */
  String replicaName();

  /**
   * Adds a task. Before {@link #start} it runs from then on, after it at once.
   *
   * @throws IllegalArgumentException if a value is missing or wrong, policies contradict, the store
   *     cannot keep the effect's promise or lends too few connections for another leadership group,
   *     or the name is taken
   * @throws IllegalStateException after {@link #stop}
   */
  void register(Task task);

  /**
   * Adds a handler for jobs of a kind. Before {@link #start} it works from then on, after it at
   * once.
   *
   * @throws IllegalArgumentException if the kind has a handler, or the store cannot keep its
   *     effect's promise
   */
  <P> void handle(JobKind<P> kind, JobHandler<P> handler);

  /**
   * Returns the jobs of the store. May be used whether or not the engine runs.
   *
   * @throws UnsupportedOperationException if the store keeps none
   */
  Jobs jobs();

  /**
   * Starts. Without an answer from the store it starts all the same, and nothing runs until there
   * is one.
   *
   * @throws dev.monotick.error.JoinRefusedException if the store refuses this replica
   * @throws IllegalStateException after {@link #stop}
   */
  void start();

  /**
   * Stops: no new ticks; running bodies may go on for the grace period and are cancelled then;
   * leadership is released when they ended. Returns when all ended, or some ignore it.
   */
  StopReport stop(Duration gracePeriod);

  /** Stops with {@link #DEFAULT_GRACE}. */
  @Override
  default void close() {
    stop(DEFAULT_GRACE);
  }

  /** Returns all registered tasks as this replica sees them now, by name. */
  List<TaskStatus> tasks();

  /**
   * Returns the newest rows that the ledger has of a task, newest first. For {@code EVERY_REPLICA}
   * and {@code SHARED} tasks these are the ticks of this replica.
   */
  List<TickRecord> history(String task, int limit);

  /**
   * Runs a task beside its schedule, as soon as possible: on this replica for {@code EVERY_REPLICA}
   * and {@code SHARED}, else wherever it belongs.
   *
   * @return the identity under which its outcome will be found
   */
  TickId trigger(String task);

  /**
   * Runs a task beside its schedule, once for the key however often it is asked for, as long as the
   * store remembers the key; the one in memory knows the last thousand of a task.
   *
   * @param task name of the task
   * @param key the caller's idempotency key
   */
  TickId trigger(String task, String key);

  /**
   * Pauses a task, on all replicas unless its mode is {@code EVERY_REPLICA} or {@code SHARED}.
   *
   * @param task name of the task
   * @param by who pauses it
   * @param note why
   */
  void pause(String task, String by, String note);

  /** Resumes a task; ticks of the pause are recorded as skipped, not made up for. */
  void resume(String task);

  /** Returns the replicas that share the store and live. */
  List<ReplicaInfo> replicas();

  /** Returns this replica's term of a leadership group; empty if it does not lead it. */
  Optional<LeaderTerm> leadership(String group);

  /**
   * Hands a leadership over: no new ticks as leader, then, when the running ones ended, release.
   * This replica is a candidate again after the others had their chance. Without effect if it does
   * not lead.
   */
  void resign(String group);

  /** Adds a listener for everything that happens here. */
  EventListener.Subscription subscribe(EventListener listener);

  /** Adds a listener for leadership gained and lost. */
  EventListener.Subscription subscribe(LeadershipListener listener);
}
