package dev.monotick.chaos.fault;

import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.sink.SinkClient;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.chaos.sink.SinkEffect.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.locks.LockSupport;

/**
 * The control: leadership as it is written in an afternoon. A row with an expiry date elects a
 * leader; whoever leads looks what is due, does it, and writes down that it is done. There is no
 * claim before the effect, and no fence on it.
 */
final class NaiveReplica {

  private static final long PERIOD_NANOS = 20_000_000;

  private final String name;
  private final Connection database;
  private final SinkClient sink;

  private NaiveReplica(String name, Connection database, SinkClient sink) {
    this.name = name;
    this.database = database;
    this.sink = sink;
  }

  /** Creates the tables that naive replicas share. */
  static void createTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table public.naive_lease (holder text, expires_at timestamptz)");
      statement.execute("insert into public.naive_lease values ('', now())");
      statement.execute("create table public.naive_task (next_at timestamptz)");
      statement.execute("insert into public.naive_task values (date_trunc('second', now()))");
    }
  }

  /** Starts one; arguments: name, JDBC URL with user and password, port of the sink. */
  public static void main(String[] arguments) throws SQLException {
    NaiveReplica replica =
        new NaiveReplica(
            arguments[0],
            DriverManager.getConnection(arguments[1]),
            new SinkClient(
                new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2]))));
    Thread loop = new Thread(replica::run, "naive-loop");
    loop.setDaemon(true);
    loop.start();
    new HistoryWriter().write("started");
    ParentProcess.listen(line -> {});
  }

  private void run() {
    try {
      while (true) {
        if (lead()) {
          runIfDue();
        }
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean lead() throws SQLException {
    try (PreparedStatement statement =
        database.prepareStatement(
            "update public.naive_lease set holder = ?, expires_at = now() + interval '1 second'"
                + " where holder = ? or expires_at < now()")) {
      statement.setString(1, name);
      statement.setString(2, name);
      return statement.executeUpdate() == 1;
    }
  }

  private void runIfDue() throws SQLException {
    Instant next = next();
    if (next.isAfter(Instant.now())) {
      return;
    }
    sink.announceAndSend(
        new SinkEffect(
            "naive", TaskWorkload.LEADER, next.toString(), 1, name, Kind.PLAIN, null, "" + next));
    try (PreparedStatement statement =
        database.prepareStatement("update public.naive_task set next_at = ?")) {
      statement.setObject(
          1, OffsetDateTime.ofInstant(next.plus(TaskWorkload.PERIOD), ZoneOffset.UTC));
      statement.executeUpdate();
    }
  }

  private Instant next() throws SQLException {
    try (PreparedStatement statement =
            database.prepareStatement("select next_at from public.naive_task");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }
}
