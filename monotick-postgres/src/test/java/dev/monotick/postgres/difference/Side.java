package dev.monotick.postgres.difference;

import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.testkit.contract.StoreExchange;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
  static final List<Lane> LANES =
      List.of(
          new Lane("q0", "k0", "", 5),
          new Lane("q0", "k1", "t0", 5),
          new Lane("q1", "k1", "t1", 2),
          new Lane("q1", "k2", "t0", 7));

  static final int REPLICAS = 3;

  final String name;
  private final Store store;
  private final Map<String, JobId> ids = new LinkedHashMap<>();
  private final Map<JobId, String> labels = new HashMap<>();
  private final Map<String, Draft> drafts = new HashMap<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Map<MemberId, Long> numbers = new HashMap<>(); // of the newest turn that claims
  private final Set<MemberId> used = new HashSet<>(); // the number of whose newest turn is used
  private final Set<MemberId> open = new HashSet<>(); // whose newest turn is open
  private final Map<MemberId, Set<Run>> given = new HashMap<>();
  private final Set<String> forgotten = new HashSet<>();
  private final Set<String> dropped = new HashSet<>();
  private final Set<JobLimit.Scope> limited = new HashSet<>();
  private final long world;
  private final int[] memberships = new int[REPLICAS];
  private final int[] processes = new int[REPLICAS]; // first membership of the present process
  private final Tally tally = new Tally();
  private final Runnable look;
  private final Runnable settle;

  /**
   * Creates a side.
   *
   * @param settle waits until the store does nothing in the background
   * @param look has the store do what it does within a second anyway, with the turn of any replica
   * @param world tells the replicas of this test from those of others in the same tables
   */
  Side(String name, Store store, Runnable settle, Runnable look, long world) {
    this.name = name;
    this.store = store;
    this.settle = settle;
    this.look = look;
    this.world = world;
    for (int place = 0; place < REPLICAS; place++) {
      var unused = join(place, Set.of());
    }
  }

  JobStore jobs() {
    return store.jobs();
  }

  Instant now() {
    return jobs().now();
  }

  /** Makes a turn, and waits for what it starts in the background. */
  StoreExchange.Reply turn(StoreExchange turn) {
    StoreExchange.Reply reply = turn.with(jobs());
    settle.run();
    return reply;
  }

  /** Returns the present membership of a replica. */
  MemberId replica(int place) {
    return new MemberId(new UUID(world, 100L * place + memberships[place]));
  }

  /**
   * Returns a membership of a replica, if it has had as many.
   *
   * @param ago 0 for the present one, 1 for the one before
   */
  Optional<MemberId> replica(int place, int ago) {
    int membership = memberships[place] - ago;
    return membership < 0
        ? Optional.empty()
        : Optional.of(new MemberId(new UUID(world, 100L * place + membership)));
  }

  private boolean join(int place, Set<MemberId> former) {
    MemberInfo info = new MemberInfo(replica(place), "r" + place, now(), Set.of());
    return store.replicas().join(info, false, former);
  }

  /** Joins again under the id that the replica has. */
  boolean joinAgain(int place) {
    return join(place, Set.of());
  }

  /** Another process takes the place of the replica. */
  boolean restart(int place) {
    leave(place);
    memberships[place]++;
    processes[place] = memberships[place];
    return join(place, Set.of());
  }

  /** The process of the replica, which lost its membership, takes another id. */
  boolean rejoin(int place) {
    Set<MemberId> former = new HashSet<>();
    for (int ago = 0; ago <= memberships[place] - processes[place]; ago++) {
      former.add(replica(place, ago).orElseThrow());
    }
    open.removeAll(former);
    memberships[place]++;
    return join(place, former);
  }

  /** Returns which replicas live, as a replica is told that proves it does. */
  String beat(MemberId replica) {
    return store.replicas().heartbeat(replica).map(Side::names).orElse("gone");
  }

  /** Returns which replicas live. */
  String live() {
    return names(store.replicas().live());
  }

  private static String names(List<MemberInfo> replicas) {
    return replicas.stream()
        .map(replica -> replica.name() + " as " + name(replica.id()))
        .sorted()
        .toList()
        .toString();
  }

  /** Returns a name for an id: the place, and which membership it is. */
  static String name(MemberId replica) {
    long bits = replica.value().getLeastSignificantBits();
    return "r" + bits / 100 + "." + bits % 100;
  }

  void leave(int place) {
    open.remove(replica(place));
    store.replicas().leave(replica(place));
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
  boolean hasSent(MemberId id, Step.Turn turn) {
    return turn.number() > 0 && turn.number() <= numbers.getOrDefault(id, 0L);
  }

  /** Returns whether a job is forgotten, as far as steps did it. */
  boolean hasForgotten(String label) {
    return forgotten.contains(label);
  }

  /**
   * Returns whether a replica may send a turn, by the rules of {@link StoreExchange}: the next
   * number only if the one before is used, and no other one while that is open. Steps that are
   * dropped may make it otherwise.
   */
  boolean maySend(MemberId id, Step.Turn turn) {
    long last = numbers.getOrDefault(id, 0L);
    if (open.contains(id) && turn.number() != last) {
      return false;
    }
    if (turn.number() > last && last > 0 && !used.contains(id)) {
      return false;
    }
    open.remove(id);
    if (turn.number() > last) {
      numbers.put(id, turn.number());
      used.remove(id);
    }
    return true;
  }

  /** Returns the number of the next turn of a replica that claims. */
  long nextNumber(MemberId id) {
    long last = numbers.getOrDefault(id, 0L);
    return last > 0 && !used.contains(id) ? last : last + 1;
  }

  /** Returns whether the replica waits for the answer to a turn that is open, and does no more. */
  boolean waits(MemberId id) {
    return open.contains(id);
  }

  /** Takes in the reply to a turn. */
  void heard(MemberId id, long number, StoreExchange.Reply reply) {
    if (reply.used() && number == numbers.getOrDefault(id, 0L)) {
      used.add(id);
    }
    for (ClaimedJob job : reply.jobs()) {
      JobRun run = job.run();
      attempts.put(label(run.id()) + " " + run.number(), run.attempt());
      given
          .computeIfAbsent(id, fresh -> new LinkedHashSet<>())
          .add(new Run(label(run.id()), run.number(), run.attempt()));
    }
  }

  /** Returns all runs that a membership was ever given. */
  Set<Run> given(MemberId id) {
    return given.getOrDefault(id, Set.of());
  }

  /** Returns whether a former membership has a run that has not ended. */
  boolean hasClaimsInGrace() {
    Set<Run> former = new HashSet<>();
    given.forEach((id, runs) -> former.addAll(runs));
    for (int place = 0; place < REPLICAS; place++) {
      former.removeAll(given(replica(place)));
    }
    return jobs().list(JobFilter.in(JobState.RUNNING), Step.Turn.ALL).stream()
        .anyMatch(
            job ->
                former.stream()
                    .filter(run -> run.label().equals(label(job.id())))
                    .anyMatch(run -> run.number() == job.run().orElseThrow().number()));
  }

  /** Returns the attempt of a run as it was heard; steps that are dropped may have changed it. */
  int attempt(String label, int run, int otherwise) {
    return attempts.getOrDefault(label + " " + run, otherwise);
  }

  /** Takes in that the replica's newest turn is open no more. */
  void closed(MemberId id) {
    open.remove(id);
  }

  /** Takes in that the replica's newest turn stays open. */
  void leftOpen(MemberId id) {
    open.add(id);
  }

  /** Has steps pass over a job that the other store has forgotten in the course of time. */
  void drop(String label) {
    dropped.add(label);
  }

  /** Takes in that a job was purged, or that the database has dropped it. */
  void forget(String label) {
    forgotten.add(label);
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

  /** Counts what the store did. */
  Tally tally() {
    return tally;
  }

  Set<JobLimit.Scope> limited() {
    return limited;
  }
}
