package dev.monotick.postgres.replica;

import dev.monotick.error.JoinRefusedException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.Session;
import dev.monotick.postgres.connection.SqlFunction;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.spi.replica.JoinPendingException;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.time.Ticker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry in the database. That a replica is gone is a fact in its row, written by whoever
 * finds out ({@link LivenessObserver} says how) and guarded by the beat that was judged; from then
 * on its beats count no more, so it learns of it as soon as it asks, and joins again.
 *
 * <p>Beats have a connection of their own: no pool can starve them. It also holds one of the two
 * locks that show that the process lives, the other is in the session of the notices.
 */
public final class PostgresMembers implements MemberRegistry, AutoCloseable {

  /** D, H, R, M: beats are asked for every second, so that a crash is noticed within one. */
  public static final LeaseTiming DEFAULT_TIMING =
      new LeaseTiming(
          Duration.ofSeconds(6),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1));

  private static final Logger log = LoggerFactory.getLogger(PostgresMembers.class);

  private final LeaseTiming timing;
  private final MemberTable table;
  private final DatabaseClock clock;
  private final OptionalLong presence;
  private final Session session;

  // The lock of this object guards what follows, and the session's one call at a time.
  private final LivenessObserver observer;
  private final Map<UUID, MemberTable.Info> infos = new HashMap<>();
  private long observations;
  private boolean locked; // whether this session holds its lock

  /**
   * How this registry holds and sees things.
   *
   * @param timing of membership
   * @param ticker by which others are judged
   * @param presence key of the lock that the other session of this process holds; empty if there
   *     are no sessions to hold locks
   */
  public record Config(LeaseTiming timing, Ticker ticker, OptionalLong presence) {}

  /** Creates the registry of a database whose tables are there. */
  public PostgresMembers(Database database, DatabaseClock clock, Config config) {
    this.timing = config.timing();
    this.table = new MemberTable(database, config.presence().isPresent());
    this.clock = clock;
    this.presence = config.presence();
    this.session = database.session(this::prepare);
    this.observer = new LivenessObserver(config.ticker(), timing.leaseDuration().toNanos());
  }

  @Override
  public LeaseTiming timing() {
    return timing;
  }

  @Override
  public synchronized boolean join(MemberInfo replica, boolean alone, Set<MemberId> former) {
    Joining joining = call("joining", connection -> join(connection, replica, alone, former));
    if (joining.obstacle().isPresent()) {
      throw joining.obstacle().get();
    }
    return joining.isMember();
  }

  /** How an attempt to join ended. */
  private record Joining(boolean isMember, Optional<RuntimeException> obstacle) {}

  private Joining join(
      Connection connection, MemberInfo replica, boolean alone, Set<MemberId> former)
      throws SQLException {
    connection.setAutoCommit(false);
    table.serialise(connection);
    if (table.isGone(connection, replica.id())) {
      connection.setAutoCommit(true);
      return new Joining(false, Optional.empty());
    }
    Set<UUID> own = new HashSet<>();
    own.add(replica.id().value()); // the answer to an earlier try may have been lost
    former.forEach(id -> own.add(id.value()));
    List<MemberSighting> others = living(connection, table.readMembers(connection));
    others.removeIf(other -> own.contains(other.id()));
    Optional<RuntimeException> obstacle =
        others.stream().flatMap(other -> obstacle(replica, other, alone).stream()).findFirst();
    if (obstacle.isEmpty()) {
      // Those in the way that are not connected are taken for dead: two that both think that they
      // joined rightly must not live side by side. One that beat since it was looked at lives.
      List<MemberSighting> dead =
          others.stream().filter(other -> conflict(replica, other, alone)).toList();
      Set<UUID> marked = table.markGone(connection, dead);
      obstacle =
          dead.stream()
              .filter(other -> !marked.contains(other.id()))
              .<RuntimeException>map(other -> pending(replica, other))
              .findFirst();
    }
    boolean isMember = false;
    if (obstacle.isEmpty()) {
      Long key = presence.isPresent() ? presence.getAsLong() : null;
      long beat = table.insert(connection, replica, clock.offset(), alone, key);
      isMember = beat >= 0;
      if (isMember && !former.isEmpty()) {
        table.markRejoined(connection, former);
      }
      connection.commit();
      if (isMember) {
        observer.alive(replica.id().value(), beat);
        former.forEach(id -> observer.forget(id.value()));
      }
    }
    connection.setAutoCommit(true); // commits what was found out about others
    return new Joining(isMember, obstacle);
  }

  @Override
  public synchronized Optional<List<MemberInfo>> heartbeat(MemberId replica) {
    return call("heartbeat", connection -> heartbeat(connection, replica));
  }

  private Optional<List<MemberInfo>> heartbeat(Connection connection, MemberId replica)
      throws SQLException {
    if (observer.isSilent(replica.value())) { // a late beat brings nobody back
      living(connection, table.readMembers(connection));
    }
    long sent = clock.sendTime();
    MemberTable.HeartbeatReply beat = table.heartbeat(connection, replica, clock.offset());
    clock.record(sent, beat.clock());
    if (!beat.counted()) {
      return Optional.empty();
    }
    List<MemberSighting> self = new ArrayList<>();
    List<MemberSighting> others = new ArrayList<>();
    for (MemberSighting seen : beat.others()) {
      (seen.id().equals(replica.value()) ? self : others).add(seen);
    }
    self.forEach(seen -> observer.alive(seen.id(), seen.heartbeat() + 1)); // seen before it beat
    List<MemberSighting> living = living(connection, others);
    living.addAll(self);
    return Optional.of(infos(connection, living));
  }

  @Override
  public synchronized void update(MemberInfo replica) {
    call(
        "updating the replica",
        connection -> {
          living(connection, table.readMembers(connection)); // one that is gone is not brought back
          table.update(connection, replica);
          return true;
        });
  }

  @Override
  public synchronized void leave(MemberId replica) {
    call(
        "leaving",
        connection -> {
          List<MemberSighting> found = new ArrayList<>(table.readMembers(connection));
          found.removeIf(seen -> !seen.id().equals(replica.value()));
          table.markGone(connection, found);
          observer.forget(replica.value());
          return true;
        });
  }

  @Override
  public synchronized List<MemberInfo> live() {
    return call(
        "reading replicas",
        connection -> infos(connection, living(connection, table.readMembers(connection))));
  }

  @Override
  public void close() {
    session.close();
  }

  /**
   * Returns those of all others that live, and marks the rest as gone. One that beat just before it
   * would be marked lives.
   */
  private List<MemberSighting> living(Connection connection, List<MemberSighting> found)
      throws SQLException {
    List<MemberSighting> living = new ArrayList<>();
    List<MemberSighting> dead = new ArrayList<>();
    for (MemberSighting seen : found) {
      boolean gone = observer.observe(seen, observations) == LivenessObserver.Verdict.GONE;
      (gone ? dead : living).add(seen);
    }
    observer.observedAll(observations);
    Set<UUID> marked = table.markGone(connection, dead);
    for (MemberSighting seen : dead) {
      if (!marked.contains(seen.id())) {
        living.add(seen);
        continue;
      }
      log.warn(
          "replica is gone name={} replica={} because {}",
          seen.name(),
          seen.id(),
          seen.isDisconnected() ? "its connections ended" : "it was silent");
      observer.forget(seen.id());
    }
    return living;
  }

  private static boolean conflict(MemberInfo replica, MemberSighting other, boolean alone) {
    return alone || other.alone() || other.name().equals(replica.name());
  }

  private Optional<RuntimeException> obstacle(
      MemberInfo replica, MemberSighting other, boolean alone) {
    if (!conflict(replica, other, alone)) {
      return Optional.empty();
    }
    if (other.isDisconnected()) {
      return Optional
          .empty(); // it died, or will be found to: whoever restarts at once is not held up
    }
    // Its connections prove nothing: those of a process that is frozen stay open. Only a beat does.
    if (!observer.hasSentHeartbeat(other.id())) {
      return Optional.of(pending(replica, other));
    }
    String who = describe(other);
    String self = "replica " + replica.name() + " (" + replica.id() + ")";
    String remedy =
        "; stop that replica (if it died, wait "
            + timing.leaseDuration()
            + "), or switch leader election on for both";
    if (alone) {
      return Optional.of(
          new JoinRefusedException(self + " must be alone, but " + who + " is alive" + remedy));
    }
    if (other.alone()) {
      return Optional.of(
          new JoinRefusedException(
              self + " cannot join, because " + who + " must be alone" + remedy));
    }
    return Optional.of(JoinRefusedException.sameName(replica.name(), replica.id().value(), who));
  }

  private JoinPendingException pending(MemberInfo replica, MemberSighting other) {
    return new JoinPendingException(
        "replica "
            + replica.name()
            + " ("
            + replica.id()
            + ") waits until it is known whether "
            + describe(other)
            + " still lives, at most "
            + timing.leaseDuration());
  }

  private static String describe(MemberSighting other) {
    return other.name() + " (" + other.id() + ")";
  }

  /** Returns names and tasks, asking only for those that changed since they were last read. */
  private List<MemberInfo> infos(Connection connection, List<MemberSighting> living)
      throws SQLException {
    Set<UUID> unknown = new HashSet<>();
    Map<UUID, MemberTable.Info> kept = new LinkedHashMap<>();
    for (MemberSighting seen : living) {
      MemberTable.Info info = infos.get(seen.id());
      if (info == null || info.revision() != seen.revision()) {
        unknown.add(seen.id());
      } else {
        kept.put(seen.id(), info);
      }
    }
    if (!unknown.isEmpty()) {
      for (MemberTable.Info info : table.infos(connection, unknown)) {
        kept.put(info.info().id().value(), info);
      }
    }
    infos.clear();
    infos.putAll(kept);
    return kept.values().stream().map(MemberTable.Info::info).toList();
  }

  private <T> T call(String what, SqlFunction<T> work) {
    return session.call(
        what,
        timing.renewTimeout(),
        connection -> {
          if (session.generation() != 0) {
            observations = session.generation();
          }
          if (!locked) { // a former session, whose end the server had not noticed, may have held it
            prepare(connection);
          }
          return work.apply(connection);
        });
  }

  /** Takes the lock of this session, beside the one of the other session. */
  private boolean prepare(Connection connection) throws SQLException {
    locked = presence.isEmpty();
    if (presence.isEmpty()) {
      return false;
    }
    try (PreparedStatement statement =
        connection.prepareStatement("select pg_try_advisory_lock(?)")) {
      statement.setLong(1, presence.getAsLong() ^ 1);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        locked = row.getBoolean(1);
        return locked;
      }
    }
  }
}
