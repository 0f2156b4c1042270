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
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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

  /** A claim that failed after that time may have failed because it walked over dead rows. */
  private static final long TOO_LONG_NANOS = Duration.ofSeconds(2).toNanos();

  private final Database database;
  private final DatabaseClock clock;
  private final Lanes lanes;
  private volatile LaneBook book;
  private final Map<ReplicaId, OpenClaims> claims = new ConcurrentHashMap<>();
  private final Set<ReplicaId> retired = ConcurrentHashMap.newKeySet();
  private final DueTimes due;
  private final OwnChannel channel;
  private final LaneScans scans;
  private final String turn;
  private final String delete;
  private final String empty;

  JobTurns(Database database, LaneScans scans, Lanes lanes, DueTimes due, OwnChannel channel) {
    this.database = database;
    this.clock = scans.clock();
    this.lanes = lanes;
    this.due = due;
    this.channel = channel;
    this.scans = scans;
    this.book = new LaneBook(clock.sendTime());
    delete =
        database.sql(
            "delete from @job_claim c where c.ctid = any (array(select d.ctid"
                + " from unnest(?::bigint[]) as u(number)"
                + " join @job_claim d on d.replica = ? and d.number = u.number"
                + " for update of d skip locked))");
    empty = // not if a report holds it, or a run has not ended
        database.sql(
            """
            update @job_claim c
               set ids = '{}', lanes = '{}', runs = '{}', attempts = '{}', flags = '{}'
             where c.ctid = any (array(
               select d.ctid from @job_claim d
                where d.replica = ? and d.number = ?
                  and not exists (
                    select from unnest(d.ids, d.runs) as u(id, run)
                     where not exists (select from @job_attempt a
                                        where a.job_id = u.id and a.run = u.run))
                  for update of d skip locked))
            """);
    turn =
        database.sql(
            "select * from @job_turn(?::uuid, "
                + FinishColumns.TYPES
                + ", ?::bigint[], ?::boolean[], ?::bigint[],"
                + " ?::bigint, ?::integer,"
                + " ?::boolean, ?::text,"
                + " ?::bigint, ?::integer[], ?::bigint[], ?::integer[], ?::bigint, ?::integer[], ?::integer[],"
                + " ?::text[])");
  }

  /**
   * Forgets what is known of lanes, and where in them jobs begin: all of it is read again. Another
   * server may be ahead or behind in both.
   */
  void forget() {
    lanes.forget();
    book = new LaneBook(clock.sendTime());
  }

  /** Saves where jobs begin, for the replica that starts next. */
  void saveScans() {
    scans.saveAll(book);
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
    JobTurnReply reply = turn(wanted, database);
    if (wanted.most() > 0 && wanted.finishes().isEmpty() && reply.jobs().isEmpty()) {
      emptyNewest(wanted.replica());
    }
    return reply;
  }

  /**
   * Removes the jobs from the row of the newest claim of an idle replica, once all of them have
   * ended. The row stays so that its number stays used, but a job is not forgotten while a claim
   * names it. Otherwise the last jobs of an idle replica would stay on record until it claims
   * again. A claim without jobs proves nothing: a late report of one of its runs is refused, as if
   * the row was deleted.
   */
  private void emptyNewest(ReplicaId replica) {
    OpenClaims own = claims(replica);
    OptionalLong newest = own.newestToEmpty();
    if (newest.isEmpty()) {
      return;
    }
    try {
      int changed =
          database.once(
              "emptying a claim that is over",
              connection -> {
                try (PreparedStatement statement = connection.prepareStatement(empty)) {
                  statement.setObject(1, replica.value());
                  statement.setLong(2, newest.getAsLong());
                  return statement.executeUpdate();
                }
              });
      if (changed > 0) {
        own.emptied(newest.getAsLong());
      }
    } catch (StoreException e) {
      log.debug("a claim that is over is emptied later", e);
    }
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
    if (wanted.most() > 0) {
      scans.inherit(book);
    }
    List<Boolean> finished = List.of();
    for (int tries = 1; ; tries++) {
      LaneBook.Plan plan =
          wanted.most() > 0
              ? book.plan(table, wanted, JobColumns.micros(clock.now()), clock.sendTime())
              : LaneBook.Plan.NOTHING;
      Long promote =
          wanted.most() > 0 && due.isTimeToLook() ? book.due().fromMicros(clock.sendTime()) : null;
      Instant before = clock.now();
      Call call = new Call(wanted, ending, table, plan, promote);
      long sent = clock.sendTime();
      TurnReader reply = reply(wanted, where, call, sent);
      if (ending != null) {
        finished = ending.columns().counted(reply.counted());
        own.ended(ending.runs(), ending.claims());
      }
      if (promote != null) {
        due.looked(reply.nextDue());
        book.due().looked(promote, reply.nextDue(), reply.now(), plan.settled());
        if (promote == 0) {
          book.due().lookedAtAll(clock.sendTime() - sent, clock.sendTime());
        }
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
      if (wanted.most() > 0 && reply.version() == table.version()) {
        long now = clock.sendTime();
        book.heard(plan, reply, now - sent, now);
        scans.offer(book, wanted.most());
      }
      List<ClaimedJob> jobs = reply.jobs();
      return new JobTurnReply(
          finished,
          jobs,
          wanted.most() > 0 && jobs.size() >= wanted.most(),
          due.untilNext(reply.now(), reply.rateAllows()),
          reply.isUsed());
    }
  }

  private TurnReader reply(JobTurn wanted, Database where, Call call, long sent) {
    try {
      return where.once("a turn of replica " + wanted.replica(), call::execute);
    } catch (StoreException e) {
      if (wanted.most() > 0 && clock.sendTime() - sent >= TOO_LONG_NANOS) {
        book.tookTooLong(); // the one that the next turn uses: this one may have been forgotten
      }
      throw e;
    }
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
    private final @Nullable Long promoteFrom; // microseconds
    private final boolean wasOpen;

    /** Where it is told of what comes later; null if the turn does not stay open. */
    private final @Nullable String door;

    Call(
        JobTurn wanted,
        @Nullable Ending ending,
        LaneTable table,
        LaneBook.Plan plan,
        @Nullable Long promoteFrom) {
      this.wanted = wanted;
      this.ending = ending;
      this.table = table;
      this.plan = plan;
      this.promoteFrom = promoteFrom;
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
          TurnReader reply = new TurnReader(wanted, table, claims(wanted.replica())).read(row);
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
      statement.setObject(index++, promoteFrom, Types.BIGINT);
      LaneBook.Bounds bounds = plan.bounds();
      JobColumns.set(statement, index++, bounds.lanes());
      JobColumns.set(statement, index++, bounds.limits());
      JobColumns.set(statement, index, bounds.tenants());
    }
  }
}
