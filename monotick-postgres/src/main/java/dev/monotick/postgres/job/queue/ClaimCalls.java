package dev.monotick.postgres.job.queue;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.handoff.HandoffChannel;
import dev.monotick.postgres.job.lane.ActiveLanes;
import dev.monotick.postgres.job.lane.ClaimReader;
import dev.monotick.postgres.job.lane.LaneDirectory;
import dev.monotick.postgres.job.lane.LaneRules;
import dev.monotick.postgres.job.lane.ScanUpkeep;
import dev.monotick.postgres.job.row.CompletionColumns;
import dev.monotick.postgres.job.row.ExchangeCall;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Completes and claims jobs for members: one statement each time. Thread-safe. */
public final class ClaimCalls {

  /** Maximum number of tries when the rules of lanes change during a claim. */
  private static final int MOST_TRIES = 5;

  /** A claim that failed after that time may have failed because it walked over dead rows. */
  private static final long TOO_LONG_NANOS = Duration.ofSeconds(2).toNanos();

  private final Database database;
  private final DatabaseClock clock;
  private final LaneDirectory lanes;
  private volatile ActiveLanes book;
  private final MemberClaims claims;
  private final DueTimes due;
  private final HandoffChannel channel;
  private final ScanUpkeep scans;
  private final String exchange;

  public ClaimCalls(
      Database database,
      ScanUpkeep scans,
      LaneDirectory lanes,
      DueTimes due,
      HandoffChannel channel) {
    this.claims = new MemberClaims(database);
    this.database = database;
    this.clock = scans.clock();
    this.lanes = lanes;
    this.due = due;
    this.channel = channel;
    this.scans = scans;
    this.book = new ActiveLanes(clock.sendTime());
    exchange =
        database.sql(
            "select * from @job_exchange(?::uuid, row("
                + CompletionColumns.TYPES
                + ", ?::bigint[], ?::boolean[], ?::bigint[])::@job_completions,"
                + " row(?::bigint, ?::integer, ?::bigint, ?::integer[], ?::bigint[], ?::integer[],"
                + " ?::integer[], ?::integer[], ?::text[])::@job_claim_request,"
                + " ?::boolean, ?::text, ?::bigint)");
  }

  /**
   * Forgets what is known of lanes, and where in them jobs begin: all of it is read again. Another
   * server may be ahead or behind in both.
   */
  public void forget() {
    lanes.forget();
    book = new ActiveLanes(clock.sendTime());
  }

  /** Saves where jobs begin, for the replica that starts next. */
  public void saveScans() {
    scans.saveAll(book);
  }

  /** Has all lanes looked at soon, also where hints say that there is nothing. */
  public void scanAllSoon() {
    book.scanAllSoon(clock.sendTime());
  }

  /** Returns the claims of the members of this process. */
  public MemberClaims claims() {
    return claims;
  }

  /** Makes an exchange on any connection. */
  public ExchangeReply exchange(ExchangeCall wanted) {
    ExchangeReply reply = exchange(wanted, database);
    if (wanted.most() > 0 && wanted.finishes().isEmpty() && reply.claim().jobs().isEmpty()) {
      claims.emptyNewest(wanted.replica());
    }
    return reply;
  }

  /**
   * Reads the claim of a number, on a connection that is open, in autocommit, and used by no other
   * thread. Nothing is claimed, and an offer of that number is withdrawn.
   */
  public ClaimReply readClaim(MemberId member, long number, Connection connection) {
    return exchange(ExchangeCall.withdrawal(member, number), database.by(connection)).claim();
  }

  private ExchangeReply exchange(ExchangeCall wanted, Database where) {
    OpenClaims own = claims.of(wanted.replica());
    if (wanted.number() > 0) {
      own.sending(wanted.number());
    }
    CompletionBatch ending = completionCall(own, wanted.finishes());
    try {
      ExchangeReply reply = exchange(wanted, where, ending);
      if (wanted.most() == 0) {
        claims.deleteFinished(wanted.replica());
      }
      return reply;
    } finally {
      if (ending != null) {
        own.notEnded(ending.claims()); // without effect if it was
      }
    }
  }

  private ExchangeReply exchange(
      ExchangeCall wanted, Database where, @Nullable CompletionBatch toEnd) {
    OpenClaims own = claims.of(wanted.replica());
    CompletionBatch ending = toEnd;
    ActiveLanes book = this.book; // also if it is forgotten meanwhile
    LaneRules table = lanes.known();
    if (wanted.number() > 0 && table.version() == 0) {
      table = lanes.refresh();
    }
    if (wanted.most() > 0) {
      scans.inherit(book);
    }
    List<Boolean> finished = List.of();
    for (int tries = 1; ; tries++) {
      ActiveLanes.Plan plan =
          wanted.most() > 0
              ? book.plan(table, wanted, JobColumns.micros(clock.now()), clock.sendTime())
              : ActiveLanes.Plan.NOTHING;
      Long promote =
          wanted.most() > 0 && due.isPollDue() ? book.due().fromMicros(clock.sendTime()) : null;
      Instant before = clock.now();
      Call call = new Call(wanted, ending, table, plan, promote);
      long sent = clock.sendTime();
      ClaimReader reply = reply(wanted, where, call, sent);
      if (ending != null) {
        finished = ending.columns().counted(reply.counted());
        own.ended(ending.runs(), ending.claims());
      }
      if (promote != null) {
        due.polled(reply.nextDue());
        book.due().scanned(promote, reply.nextDue(), reply.now(), plan.stableBelow());
        if (promote == 0) {
          book.due().scannedAll(clock.sendTime() - sent, clock.sendTime());
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
        own.offered(reply.hasOffer() || (!call.hadOffer && own.mayHaveOffer()));
      }
      if (wanted.most() > 0 && reply.version() == table.version()) {
        long now = clock.sendTime();
        book.recordReply(plan, reply, now - sent, now);
        scans.offer(book, wanted.most());
      }
      List<ClaimedJob> jobs = reply.jobs();
      return new ExchangeReply(
          finished,
          new ClaimReply(
              jobs,
              wanted.most() > 0 && jobs.size() >= wanted.most(),
              due.untilNext(reply.now(), reply.rateAllows()),
              reply.isUsed()));
    }
  }

  private ClaimReader reply(ExchangeCall wanted, Database where, Call call, long sent) {
    try {
      return where.once("an exchange of replica " + wanted.replica(), call::execute);
    } catch (StoreException e) {
      if (wanted.most() > 0 && clock.sendTime() - sent >= TOO_LONG_NANOS) {
        book.tookTooLong(); // the one that the next claim uses: this one may have been forgotten
      }
      throw e;
    }
  }

  /**
   * The completions of an exchange.
   *
   * @param columns the reports
   * @param runs what is known of them here
   * @param claims the claims of these runs, and others that are over
   */
  private record CompletionBatch(
      CompletionColumns columns, List<OpenClaims.Open> runs, OpenClaims.Touched claims) {

    long @Nullable [] noted() {
      long[] ids =
          runs.stream().filter(OpenClaims.Open::noted).mapToLong(OpenClaims.Open::id).toArray();
      return ids.length == 0 ? null : ids;
    }
  }

  /**
   * Sets the parameters of one report, and of its claim, from that index on.
   *
   * <p>The claim's row is deleted later.
   */
  void set(PreparedStatement statement, int first, MemberId replica, Completion finish)
      throws SQLException {
    OpenClaims own = claims.of(replica);
    OpenClaims.Open open = own.find(finish.job().id(), finish.job().run().number());
    OpenClaims.Touched claims = own.touchedBy(open == null ? List.of() : List.of(open));
    own.notEnded(claims);
    new CompletionColumns(List.of(finish), List.of(known(open, claims))).set(statement, first);
    JobColumns.set(statement, first + CompletionColumns.COUNT, claims.numbers());
  }

  /** What is not open here is over already, or was never this replica's. */
  private static CompletionColumns.OpenRun known(
      OpenClaims.@Nullable Open open, OpenClaims.Touched claims) {
    return open == null
        ? CompletionColumns.OpenRun.NOT_OPEN
        : new CompletionColumns.OpenRun(open.lane(), open.flags(), claims.place(open));
  }

  private @Nullable CompletionBatch completionCall(OpenClaims own, List<Completion> finishes) {
    List<OpenClaims.@Nullable Open> found = new ArrayList<>(finishes.size());
    List<OpenClaims.Open> runs = new ArrayList<>(finishes.size());
    for (Completion finish : finishes) {
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
    List<CompletionColumns.OpenRun> known = new ArrayList<>(finishes.size());
    found.forEach(open -> known.add(known(open, claims)));
    return new CompletionBatch(new CompletionColumns(finishes, known), runs, claims);
  }

  /** One call of the function. */
  private final class Call {

    private final ExchangeCall wanted;
    private final @Nullable CompletionBatch completionCall;
    private final LaneRules table;
    private final ActiveLanes.Plan plan;
    private final @Nullable Long promoteFrom; // microseconds
    private final boolean hadOffer;

    /** The channel to be notified of a hand-off; null to leave no offer. */
    private final @Nullable String offerChannel;

    Call(
        ExchangeCall wanted,
        @Nullable CompletionBatch ending,
        LaneRules table,
        ActiveLanes.Plan plan,
        @Nullable Long promoteFrom) {
      this.wanted = wanted;
      this.completionCall = ending;
      this.table = table;
      this.plan = plan;
      this.promoteFrom = promoteFrom;
      OpenClaims own = claims.of(wanted.replica());
      this.hadOffer = own.mayHaveOffer();
      this.offerChannel = wanted.offers() && channel.isListening() ? channel.name() : null;
      if (offerChannel != null) {
        own.offered(true); // also if there is no answer
      }
    }

    private ClaimReader execute(Connection connection) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(exchange)) {
        set(statement);
        long sent = clock.sendTime();
        try (ResultSet row = statement.executeQuery()) {
          ClaimReader reply = new ClaimReader(wanted, table, claims.of(wanted.replica())).read(row);
          clock.record(sent, reply.now());
          return reply;
        }
      }
    }

    private void set(PreparedStatement statement) throws SQLException {
      int index = 1;
      statement.setObject(index++, wanted.replica().value());
      if (completionCall == null || wanted.finishes().isEmpty()) {
        CompletionColumns.setNone(statement, index);
      } else {
        completionCall.columns().set(statement, index);
      }
      index += CompletionColumns.COUNT;
      JobColumns.set(
          statement, index++, completionCall == null ? null : completionCall.claims().numbers());
      JobColumns.set(
          statement, index++, completionCall == null ? null : completionCall.claims().overs());
      JobColumns.set(statement, index++, completionCall == null ? null : completionCall.noted());
      statement.setLong(index++, wanted.number());
      statement.setInt(index++, wanted.most());
      statement.setLong(index++, table.version());
      JobColumns.set(statement, index++, plan.lanes());
      JobColumns.set(statement, index++, plan.positions());
      JobColumns.set(statement, index++, plan.shares());
      ActiveLanes.Bounds bounds = plan.bounds();
      JobColumns.set(statement, index++, bounds.lanes());
      JobColumns.set(statement, index++, bounds.limits());
      JobColumns.set(statement, index++, bounds.tenants());
      statement.setBoolean(index++, hadOffer);
      statement.setString(index++, offerChannel);
      statement.setObject(index, promoteFrom, Types.BIGINT);
    }
  }
}
