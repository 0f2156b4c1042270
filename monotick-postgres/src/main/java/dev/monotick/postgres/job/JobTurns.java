package dev.monotick.postgres.job;

import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.replica.ReplicaId;
import dev.monotick.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The turns of replicas: one statement each. Thread-safe. */
final class JobTurns {

  private static final Logger log = LoggerFactory.getLogger(JobTurns.class);

  /** What changed meanwhile is read again, and may change again; it is no use to hurry after it. */
  private static final int MOST_TRIES = 5;

  private final Database database;
  private final DatabaseClock clock;
  private final Lanes lanes;
  private volatile LaneBook book;
  private final Map<ReplicaId, OpenClaims> claims = new ConcurrentHashMap<>();
  private final Set<ReplicaId> retired = ConcurrentHashMap.newKeySet();
  private final DueTimes due;
  private final OwnChannel channel;
  private final String turn;
  private final String sweep;
  private final String delete;

  JobTurns(Database database, DatabaseClock clock, Lanes lanes, DueTimes due, OwnChannel channel) {
    this.database = database;
    this.clock = clock;
    this.lanes = lanes;
    this.due = due;
    this.channel = channel;
    this.book = new LaneBook(clock.sendTime());
    sweep =
        database.sql("select * from @job_sweep(?::integer[], ?::bigint[], ?::bigint, ?::bigint)");
    delete =
        database.sql(
            "delete from @job_claim c where c.ctid = any (array(select d.ctid"
                + " from unnest(?::bigint[]) as u(number)"
                + " join @job_claim d on d.replica = ? and d.number = u.number"
                + " for update of d skip locked))");
    turn =
        database.sql(
            "select * from @job_turn(?::uuid, "
                + FinishColumns.TYPES
                + ", ?::bigint[], ?::boolean[], ?::bigint[],"
                + " ?::bigint, ?::integer,"
                + " ?::boolean, ?::text,"
                + " ?::bigint, ?::integer[], ?::bigint[], ?::integer[], ?::boolean, ?::integer[], ?::integer[],"
                + " ?::text[])");
  }

  /** Forgets what is known of lanes, and where in them jobs begin: all of it is read again. */
  void forget() {
    lanes.forget();
    book = new LaneBook(clock.sendTime());
  }

  /** Has all lanes looked at soon, also where hints say that there is nothing. */
  void lookAtAllSoon() {
    book.lookAtAllSoon(clock.sendTime());
  }

  /** Returns what the replicas of this process claimed. */
  Map<ReplicaId, OpenClaims> claims() {
    claims.entrySet().removeIf(own -> retired.contains(own.getKey()) && own.getValue().isEmpty());
    retired.retainAll(claims.keySet());
    Map<ReplicaId, OpenClaims> current = new HashMap<>(claims);
    current.keySet().removeAll(retired);
    return current;
  }

  /** The replica is no member any more. Its claims are forgotten when their ends are reported. */
  void retire(ReplicaId replica) {
    if (claims.containsKey(replica)) {
      retired.add(replica);
    }
  }

  OpenClaims claims(ReplicaId replica) {
    return claims.computeIfAbsent(replica, any -> new OpenClaims());
  }

  /** Makes a turn on any connection. */
  JobTurnReply turn(JobTurn wanted) {
    return turn(wanted, database);
  }

  /**
   * Makes a turn on a connection that is open, in autocommit, and used by no other thread.
   *
   * @param given the notice of a job that was handed to a replica; null for none
   */
  JobTurnReply turn(JobTurn wanted, Connection connection, @Nullable HandOver given) {
    if (given != null && !given.concerns(wanted)) {
      // It is about another replica, or comes late.
      return new JobTurnReply(List.of(), List.of(), false, due.untilNext(clock.now(), null));
    }
    return turn(wanted, database.by(connection)); // which finds the claim under its number
  }

  private JobTurnReply turn(JobTurn wanted, Database where) {
    OpenClaims own = claims(wanted.replica());
    if (wanted.number() > 0) {
      own.sending(wanted.number());
    }
    Ending ending = ending(own, wanted.finishes());
    try {
      JobTurnReply reply = turn(wanted, where, ending);
      if (wanted.most() == 0) {
        deleteOver(wanted.replica(), own);
      }
      return reply;
    } finally {
      if (ending != null) {
        own.notEnded(ending.claims()); // without effect if it was
      }
    }
  }

  /**
   * A claim whose last runs were ended by two turns at the same time was over with neither; the
   * next turn would see to it, but after a report there may be none.
   */
  private void deleteOver(ReplicaId replica, OpenClaims own) {
    OpenClaims.Touched over = own.touchedBy(List.of());
    if (over.isEmpty()) {
      return;
    }
    try {
      int unused =
          database.once(
              "deleting claims that are over",
              connection -> {
                try (PreparedStatement statement = connection.prepareStatement(delete)) {
                  JobColumns.set(statement, 1, over.numbers());
                  statement.setObject(2, replica.value());
                  return statement.executeUpdate();
                }
              });
      own.ended(List.of(), over);
    } catch (StoreException e) {
      log.debug("claims that are over are deleted later", e);
    } finally {
      own.notEnded(over);
    }
  }

  private JobTurnReply turn(JobTurn wanted, Database where, @Nullable Ending toEnd) {
    OpenClaims own = claims(wanted.replica());
    Ending ending = toEnd;
    LaneBook book = this.book; // also if it is forgotten meanwhile
    LaneTable table = lanes.known();
    if (wanted.number() > 0 && table.version() == 0) {
      table = lanes.refresh();
    }
    List<Boolean> finished = List.of();
    for (int tries = 1; ; tries++) {
      LaneBook.Plan plan =
          wanted.most() > 0
              ? book.plan(table, wanted, JobColumns.micros(clock.now()), clock.sendTime())
              : LaneBook.Plan.NOTHING;
      boolean promote = wanted.most() > 0 && due.isTimeToLook();
      Instant before = clock.now();
      Call call = new Call(wanted, ending, table, plan, promote);
      TurnReader reply = where.once("a turn of replica " + wanted.replica(), call::execute);
      if (ending != null) {
        finished = ending.columns().counted(reply.counted());
        own.ended(ending.runs(), ending.claims());
      }
      if (promote) {
        due.looked(reply.nextDue());
      } else if (ending != null && ending.columns().soonest() < Long.MAX_VALUE) {
        due.added(before.plus(ending.columns().soonest(), ChronoUnit.MICROS));
      }
      ending = null;
      if (wanted.number() > 0 && reply.version() != table.version() && tries < MOST_TRIES) {
        table = lanes.refresh();
        continue;
      }
      if (wanted.number() > 0 && reply.version() == table.version()) {
        own.openTurn(reply.staysOpen() || (!call.wasOpen && own.mayHaveOpenTurn()));
      }
      boolean passedOver = false;
      if (wanted.most() > 0 && reply.version() == table.version()) {
        book.heard(plan, reply, clock.sendTime());
        passedOver = sweep(book, plan);
      }
      List<ClaimedJob> jobs = reply.jobs();
      return new JobTurnReply(
          finished,
          jobs,
          passedOver || (wanted.most() > 0 && jobs.size() >= wanted.most()),
          due.untilNext(reply.now(), reply.rateAllows()),
          reply.isUsed());
    }
  }

  /** Looks at what hints pass over, if it is time to; says whether there was a job. */
  private boolean sweep(LaneBook book, LaneBook.Plan plan) {
    LaneBook.Sweep wanted = book.sweep(plan, clock.sendTime());
    if (wanted == null) {
      return false;
    }
    long sent = clock.sendTime();
    Map<Integer, Long> found =
        database.once(
            "looking for jobs that were passed over", connection -> sweep(connection, wanted));
    long now = clock.sendTime();
    book.swept(wanted, found, now - sent, now);
    return !found.isEmpty();
  }

  private Map<Integer, Long> sweep(Connection connection, LaneBook.Sweep wanted)
      throws SQLException {
    Map<Integer, Long> found = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sweep)) {
      JobColumns.set(statement, 1, wanted.lanes());
      JobColumns.set(statement, 2, wanted.hints());
      statement.setLong(3, wanted.range().low());
      statement.setLong(4, wanted.range().high());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.put(row.getInt(1), row.getLong(2));
        }
      }
    }
    return found;
  }

  /**
   * What a turn ends.
   *
   * @param columns the reports
   * @param runs what is known of them here
   * @param claims the claims of these runs, and others that are over
   */
  private record Ending(
      FinishColumns columns, List<OpenClaims.Open> runs, OpenClaims.Touched claims) {

    long @Nullable [] noted() {
      long[] ids =
          runs.stream().filter(OpenClaims.Open::noted).mapToLong(OpenClaims.Open::id).toArray();
      return ids.length == 0 ? null : ids;
    }
  }

  /**
   * Sets the parameters of one report, and of its claim, from that index on.
   *
   * <p>The claim's row is deleted by a later turn.
   */
  void set(PreparedStatement statement, int first, ReplicaId replica, JobFinish finish)
      throws SQLException {
    OpenClaims own = claims(replica);
    OpenClaims.Open open = own.find(finish.job().id(), finish.job().run().number());
    OpenClaims.Touched claims = own.touchedBy(open == null ? List.of() : List.of(open));
    own.notEnded(claims);
    new FinishColumns(List.of(finish), List.of(known(open, claims))).set(statement, first);
    JobColumns.set(statement, first + FinishColumns.COUNT, claims.numbers());
  }

  /** What is not open here is over already, or was never this replica's. */
  private static FinishColumns.Known known(
      OpenClaims.@Nullable Open open, OpenClaims.Touched claims) {
    return open == null
        ? FinishColumns.Known.NOT_OPEN
        : new FinishColumns.Known(open.lane(), open.flags(), claims.place(open));
  }

  private @Nullable Ending ending(OpenClaims own, List<JobFinish> finishes) {
    List<OpenClaims.@Nullable Open> found = new ArrayList<>(finishes.size());
    List<OpenClaims.Open> runs = new ArrayList<>(finishes.size());
    for (JobFinish finish : finishes) {
      OpenClaims.Open open = own.find(finish.job().id(), finish.job().run().number());
      found.add(open);
      if (open != null) {
        runs.add(open);
      }
    }
    OpenClaims.Touched claims = own.touchedBy(runs);
    if (finishes.isEmpty() && claims.isEmpty()) {
      return null;
    }
    List<FinishColumns.Known> known = new ArrayList<>(finishes.size());
    found.forEach(open -> known.add(known(open, claims)));
    return new Ending(new FinishColumns(finishes, known), runs, claims);
  }

  /** One call of the function. */
  private final class Call {

    private final JobTurn wanted;
    private final @Nullable Ending ending;
    private final LaneTable table;
    private final LaneBook.Plan plan;
    private final boolean promote;
    private final boolean wasOpen;

    /** Where it is told of what comes later; null if the turn does not stay open. */
    private final @Nullable String door;

    Call(
        JobTurn wanted,
        @Nullable Ending ending,
        LaneTable table,
        LaneBook.Plan plan,
        boolean promote) {
      this.wanted = wanted;
      this.ending = ending;
      this.table = table;
      this.plan = plan;
      this.promote = promote;
      OpenClaims own = claims(wanted.replica());
      this.wasOpen = own.mayHaveOpenTurn();
      this.door = wanted.staysOpen() && channel.isHeard() ? channel.name() : null;
      if (door != null) {
        own.openTurn(true); // also if there is no answer
      }
    }

    private TurnReader execute(Connection connection) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(turn)) {
        set(statement);
        long sent = clock.sendTime();
        try (ResultSet row = statement.executeQuery()) {
          TurnReader reply =
              new TurnReader(wanted, table, claims(wanted.replica())).read(row);
          clock.heard(sent, reply.now());
          return reply;
        }
      }
    }

    private void set(PreparedStatement statement) throws SQLException {
      int index = 1;
      statement.setObject(index++, wanted.replica().value());
      if (ending == null || wanted.finishes().isEmpty()) {
        FinishColumns.setNone(statement, index);
      } else {
        ending.columns().set(statement, index);
      }
      index += FinishColumns.COUNT;
      JobColumns.set(statement, index++, ending == null ? null : ending.claims().numbers());
      JobColumns.set(statement, index++, ending == null ? null : ending.claims().overs());
      JobColumns.set(statement, index++, ending == null ? null : ending.noted());
      statement.setLong(index++, wanted.number());
      statement.setInt(index++, wanted.most());
      statement.setBoolean(index++, wasOpen);
      statement.setString(index++, door);
      statement.setLong(index++, table.version());
      JobColumns.set(statement, index++, plan.lanes());
      JobColumns.set(statement, index++, plan.hints());
      JobColumns.set(statement, index++, plan.shares());
      statement.setBoolean(index++, promote);
      LaneBook.Bounds bounds = plan.bounds();
      JobColumns.set(statement, index++, bounds.lanes());
      JobColumns.set(statement, index++, bounds.limits());
      JobColumns.set(statement, index, bounds.tenants());
    }
  }
}
