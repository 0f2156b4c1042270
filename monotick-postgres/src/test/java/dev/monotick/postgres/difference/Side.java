package dev.monotick.postgres.difference;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLane;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.store.Store;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One of the two stores, and the names that a test has for what is in it. Each store makes its own
 * ids, so jobs have labels, and replicas have places.
 */
final class Side {

  /** A pair of kind and queue names one lane, so a turn that asks for it has one right answer. */
  static final List<JobLane> LANES =
      List.of(
          new JobLane("q0", "k0", "", 5),
          new JobLane("q0", "k1", "t0", 5),
          new JobLane("q1", "k1", "t1", 2),
          new JobLane("q1", "k2", "t0", 7));

  static final int REPLICAS = 3;

  final String name;
  private final Store store;
  private final Map<String, JobId> ids = new LinkedHashMap<>();
  private final Map<JobId, String> labels = new HashMap<>();
  private final Map<String, Draft> drafts = new HashMap<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Set<ReplicaId> joined = new HashSet<>();
  private final Map<ReplicaId, Long> numbers = new HashMap<>(); // of the last turn that claims
  private final Set<ReplicaId> over = new HashSet<>(); // whose last claim may be over
  private final Set<ReplicaId> rejoined = new HashSet<>(); // under the id that they had
  private final Set<ReplicaId> open = new HashSet<>(); // whose last turn is open
  private final Set<String> forgotten = new HashSet<>();
  private final Set<String> dropped = new HashSet<>();
  private final Set<JobLimit.Scope> limited = new HashSet<>();
  private final long world;
  private final int[] lives = new int[REPLICAS];
  private final Runnable look;

  /**
   * Creates a side.
   *
   * @param look has the store do what it does within a second anyway, with the turn of any replica
   * @param world tells the replicas of this test from those of others in the same tables
   */
  Side(String name, Store store, Runnable look, long world) {
    this.name = name;
    this.store = store;
    this.look = look;
    this.world = world;
    for (int place = 0; place < REPLICAS; place++) {
      join(place);
    }
  }

  JobStore jobs() {
    return store.jobs();
  }

  Instant now() {
    return jobs().now();
  }

  ReplicaId replica(int place) {
    return new ReplicaId(new UUID(world, 100L * place + lives[place]));
  }

  void join(int place) {
    if (Switches.REJOIN_SAME_ID && numbers.containsKey(replica(place))) {
      rejoined.add(replica(place));
    }
    joined.add(replica(place));
    store.replicas().join(new ReplicaInfo(replica(place), "r" + place, now(), Set.of()), false);
  }

  void beat(int place) {
    var unused = store.replicas().beat(replica(place));
  }

  void leave(int place) {
    joined.remove(replica(place));
    store.replicas().leave(replica(place));
  }

  void takeNewIdentity(int place) {
    lives[place]++;
  }

  /** Has what is due become due, and what expired expire. */
  void lookAround() {
    look.run();
  }

  void added(Draft draft, JobId id) {
    ids.put(draft.label(), id);
    labels.put(id, draft.label());
    drafts.put(draft.label(), draft);
  }

  @Nullable JobId id(String label) {
    return ids.get(label);
  }

  /** Returns whether the replica has sent that turn, or a later one. */
  boolean hasSent(Step.Turn turn) {
    return turn.number() > 0 && turn.number() <= numbers.getOrDefault(replica(turn.replica()), 0L);
  }

  /** Returns whether a job is forgotten, as far as steps did it. */
  boolean hasForgotten(String label) {
    return forgotten.contains(label);
  }

  /**
   * Returns whether a replica may send a turn: not after a later one, not again once its jobs may
   * be over, and no other one while one is open. Steps that are dropped may make it so, see {@link
   * Switches#LATE_TURNS}.
   */
  boolean maySend(Step.Turn turn) {
    ReplicaId id = replica(turn.replica());
    long last = numbers.getOrDefault(id, 0L);
    if (open.contains(id) && turn.number() != last) {
      return false;
    }
    if (!Switches.LATE_TURNS && turn.number() > 0) {
      boolean isOver = over.contains(id) && !rejoined.contains(id);
      if (turn.number() < last || (turn.number() == last && isOver)) {
        return false;
      }
    }
    open.remove(id);
    if (turn.number() > last) {
      numbers.put(id, turn.number());
      over.remove(id);
    } else if (turn.number() == 0 && !turn.reports().isEmpty()) {
      over.add(id);
    }
    return true;
  }

  /** Returns whether the replica waits for the answer to a turn that is open, and does no more. */
  boolean waits(int place) {
    return open.contains(replica(place));
  }

  /** Takes in which attempt a run was said to be. */
  void heard(JobRun run) {
    attempts.put(label(run.id()) + " " + run.number(), run.attempt());
  }

  /** Returns the attempt of a run as it was heard; steps that are dropped may have changed it. */
  int attempt(String label, int run, int otherwise) {
    return attempts.getOrDefault(label + " " + run, otherwise);
  }

  /** Takes in that the replica's last turn is open no more. */
  void closed(int place) {
    open.remove(replica(place));
  }

  /** Takes in that the replica's last turn stays open. */
  void leftOpen(int place) {
    open.add(replica(place));
  }

  /** Takes in that the replica's last claim may be over. */
  void ended(int place) {
    over.add(replica(place));
  }

  /** Takes in that the claims of replicas that are gone are over. */
  void rescued() {
    for (ReplicaId id : numbers.keySet()) {
      if (!joined.contains(id)) {
        over.add(id);
        open.remove(id);
      }
    }
  }

  /** Has steps pass over a job that the other store has forgotten in the course of time. */
  void drop(String label) {
    dropped.add(label);
  }

  /** Takes in that a job was purged, or that the database has dropped it. */
  void forget(String label) {
    forgotten.add(label);
  }

  /** Returns whether a replica may report a job, see {@link Switches#REPORT_OF_FORGOTTEN}. */
  boolean mayReport(String label) {
    return Switches.REPORT_OF_FORGOTTEN || !forgotten.contains(label);
  }

  boolean hasDropped(String label) {
    return dropped.contains(label);
  }

  Optional<Draft> draft(String label) {
    return Optional.ofNullable(drafts.get(label));
  }

  Map<String, JobId> ids() {
    return ids;
  }

  String label(JobId id) {
    return labels.getOrDefault(id, "unknown job " + id);
  }

  /** Returns a text in which jobs have their labels. */
  String withLabels(String text) {
    String named = text;
    for (Map.Entry<JobId, String> each : labels.entrySet()) {
      named = named.replaceAll("\\bjob " + each.getKey().value() + "\\b", "job " + each.getValue());
    }
    return named;
  }

  Set<JobLimit.Scope> limited() {
    return limited;
  }
}
