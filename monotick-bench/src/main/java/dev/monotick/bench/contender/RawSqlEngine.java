package dev.monotick.bench.contender;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The limit of what an engine on these tables can do: one connection claims 500 jobs by one
 * statement, then deletes them and adds them to a history by another, each its own transaction, and
 * nothing else is done. No retries, no rescue, no limits, nobody fenced.
 */
final class RawSqlEngine implements JobEngine {

  private static final int BATCH = 500;
  private static final int CONNECTIONS = 32;
  private static final int WAIT_MILLIS = 1000;

  private static final List<String> TABLES =
      List.of(
          "create table job (id bigint generated always as identity primary key, queue text not"
              + " null, priority int not null, run_at timestamptz not null, state smallint not null"
              + " default 0, number int not null, payload jsonb not null)",
          "create index job_due on job (queue, priority, run_at, id) where state = 0",
          "create table history (id bigint not null, queue text not null, number int not null,"
              + " payload jsonb not null, ended_at timestamptz not null default now())");

  private static final String PAYLOAD =
      "{\"to\": \"somebody@example.org\", \"text\": \"a payload of about a hundred bytes, as many jobs"
          + " have\"}";
  private static final String ADD =
      "insert into job (queue, priority, run_at, number, payload) select 'bench', 0, now(), n,"
          + " p::jsonb from unnest(?::int[], ?::text[]) x (n, p)";
  private static final String ADD_AND_NOTIFY =
      "with added as (" + ADD + ") select pg_notify('job', '')";
  private static final String CLAIM =
      "update job set state = 1 where id = any(array(select id from job where queue = 'bench' and"
          + " state = 0 and run_at <= now() order by priority, run_at, id limit "
          + BATCH
          + " for update skip locked)) returning id, number";
  private static final String FINISH =
      "with gone as (delete from job where id = any(?) returning id, queue, number, payload) insert"
          + " into history (id, queue, number, payload) select id, queue, number, payload from gone";

  private final DatabaseAccess connect;
  private Connection connection;
  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean notifies;
  private @Nullable HikariDataSource senders;
  private @Nullable Thread worker;

  /** Connects at once, as the pools of others do. */
  RawSqlEngine(DatabaseAccess connect) throws SQLException {
    this.connect = connect;
    this.connection = connect.open();
  }

  @Override
  public void install(EngineUse use) throws SQLException {
    notifies = use == EngineUse.PICKUP; // telling at each commit costs, and only this needs it
    for (String sql : TABLES) {
      connect.execute(sql);
    }
  }

  @Override
  public void one(int number) throws SQLException {
    many(number, 1);
  }

  @Override
  public void many(int from, int count) throws SQLException {
    Integer[] numbers = IntStream.range(from, from + count).boxed().toArray(Integer[]::new);
    String[] payloads = new String[count];
    Arrays.fill(payloads, PAYLOAD);
    try (Connection sender = senders().getConnection();
        PreparedStatement add = sender.prepareStatement(notifies ? ADD_AND_NOTIFY : ADD)) {
      add.setArray(1, sender.createArrayOf("int", numbers));
      add.setArray(2, sender.createArrayOf("text", payloads));
      add.execute();
    }
  }

  private synchronized HikariDataSource senders() {
    if (senders == null) {
      senders = connect.pool(CONNECTIONS); // a worker needs none of them
    }
    return senders;
  }

  @Override
  public void work(EngineUse use, RunCounter tally) throws SQLException {
    try (PreparedStatement listen = connection.prepareStatement("listen job")) {
      listen.execute();
    }
    Connection own = connection;
    closed.set(false);
    Thread thread = new Thread(() -> loop(own, tally), "raw-sql");
    worker = thread;
    thread.start();
  }

  private void loop(Connection connection, RunCounter tally) {
    try (connection;
        PreparedStatement claim = connection.prepareStatement(CLAIM);
        PreparedStatement finish = connection.prepareStatement(FINISH)) {
      while (!closed.get()) {
        List<Long> ids = new ArrayList<>(BATCH);
        try (ResultSet rows = claim.executeQuery()) {
          while (rows.next()) {
            ids.add(rows.getLong(1));
            tally.ran(rows.getInt(2));
          }
        }
        if (ids.isEmpty()) {
          connection.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
          continue;
        }
        Array array = connection.createArrayOf("bigint", ids.toArray());
        finish.setArray(1, array);
        finish.executeUpdate();
        array.free();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void rest() throws SQLException {
    end();
    connection = connect.open(); // the last one went with its worker
  }

  @Override
  public void close() {
    if (senders != null) {
      senders.close();
    }
    end();
  }

  private void end() {
    closed.set(true);
    try {
      if (worker != null) {
        worker.join(2L * WAIT_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
