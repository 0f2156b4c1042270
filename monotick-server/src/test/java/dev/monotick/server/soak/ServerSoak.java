package dev.monotick.server.soak;

import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.server.support.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Shows that every tick is one call, with server processes of which one is killed and another
 * frozen. What is printed, a script can read.
 */
public final class ServerSoak {

  private static final int BURST = 5;

  private final Options options;
  private final Counter counter = new Counter();
  private final EmbeddedPostgres database;
  private final List<Replica> replicas = new ArrayList<>();
  private final Path folder;

  private ServerSoak(Options options) throws IOException {
    this.options = options;
    this.folder = Files.createTempDirectory("monotick-soak");
    this.database =
        EmbeddedPostgres.builder()
            .folder(folder.resolve("postgres"))
            .setting("max_connections", "400")
            .start();
  }

  /** Runs it; ends with status 1 if a tick was lost or doubled, 2 if it was asked for wrongly. */
  public static void main(String[] arguments) throws Exception {
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    ServerSoak soak = new ServerSoak(options);
    boolean passed;
    try {
      passed = soak.run();
    } finally {
      soak.close();
    }
    System.exit(passed ? 0 : 1);
  }

  private void close() {
    replicas.forEach(Replica::close);
    counter.close();
    database.close();
  }

  private boolean run() throws Exception {
    for (int i = 1; i <= options.replicas(); i++) {
      replicas.add(new Replica("replica-" + i, database, folder));
    }
    replicas.forEach(Replica::awaitReady);
    say("started replicas=" + options.replicas() + " logs=" + folder);
    long began = System.nanoTime();
    createSchedules();
    say(
        "created schedules="
            + options.schedules()
            + " millis="
            + (System.nanoTime() - began) / 1_000_000);
    long from = databaseSeconds() + 3;
    long to = from + options.seconds();
    disturb(from);
    waitUntil(to + 2);
    execute("update monotick_server.schedule set enabled = false");
    awaitEnds();
    return report(from, to);
  }

  private void createSchedules() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> made = new ArrayList<>();
      for (int i = 0; i < options.schedules(); i++) {
        int number = i;
        made.add(clients.submit(() -> create(number)));
      }
      for (Future<?> each : made) {
        each.get();
      }
    } finally {
      clients.shutdown();
    }
  }

  private void create(int number) {
    Api.Answer answer =
        replicas
            .get(number % replicas.size())
            .api()
            .post(
                "/v1/schedules",
                Api.json(
                    "name",
                    name(number),
                    "cron",
                    (period(number) == 1 ? "*" : "*/" + period(number)) + " * * * * *",
                    "onOverlap",
                    "ALLOW",
                    "catchUp",
                    Api.json("mode", "ALL"),
                    "job",
                    Api.json(
                        "kind",
                        "http",
                        "payload",
                        Api.json("url", counter.url("/" + name(number))))));
    if (answer.status() != 201) {
      throw new IllegalStateException(answer.status() + " " + answer.raw().body());
    }
  }

  private static String name(int number) {
    return "soak-" + number;
  }

  private static int period(int number) {
    return 1 + number % 5;
  }

  /** Kills the last replica, starts it again, and freezes the first. */
  private void disturb(long from) throws Exception {
    Replica victim = replicas.get(replicas.size() - 1);
    waitUntil(from + options.seconds() / 4);
    awaitBurst();
    victim.kill();
    say("killed calls=" + counter.total());
    waitUntil(from + options.seconds() / 4 + 5);
    victim.startAgain();
    waitUntil(from + options.seconds() / 2);
    awaitBurst();
    replicas.get(0).signal("STOP");
    say("frozen seconds=" + options.freeze() + " calls=" + counter.total());
    waitUntil(from + options.seconds() / 2 + options.freeze());
    replicas.get(0).signal("CONT");
    say("thawed calls=" + counter.total());
  }

  /** Returns while replicas fire and call: at a quiet moment there is nothing to be lost. */
  private void awaitBurst() {
    long before;
    do {
      before = counter.total();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    } while (counter.total() - before < BURST);
  }

  private void awaitEnds() throws SQLException {
    long open = 1;
    for (int i = 0; i < 60 && open > 0; i++) {
      pause(1);
      open = number("select count(*) from monotick_server.schedule_tick where outcome is null");
    }
    say("ended open=" + open);
  }

  private boolean report(long from, long to) throws SQLException {
    long expected = 0;
    long missing = 0;
    long uncalled = 0;
    long doubled = 0;
    long repeated = 0;
    Map<String, Integer> rows = ticks(from, to);
    for (int i = 0; i < options.schedules(); i++) {
      for (long second = from; second < to; second++) {
        if (second % period(i) == 0) {
          String nominal = Instant.ofEpochSecond(second).toString();
          Map<String, AtomicInteger> keys = counter.calls(name(i), nominal);
          expected++;
          missing += rows.getOrDefault(name(i) + "@" + second, 0) == 1 ? 0 : 1;
          uncalled += keys.isEmpty() ? 1 : 0;
          doubled += keys.size() > 1 ? 1 : 0;
          repeated += keys.values().stream().mapToInt(AtomicInteger::get).sum() - keys.size();
        }
      }
    }
    long rowsInAll = rows.values().stream().mapToInt(Integer::intValue).sum();
    boolean passed = missing == 0 && uncalled == 0 && doubled == 0 && rowsInAll == expected;
    say("expected=" + expected + " rows=" + rowsInAll + " missing=" + missing);
    say("uncalled=" + uncalled + " doubled=" + doubled + " repeated=" + repeated);
    say("rescued=" + number("select count(*) from monotick.job_attempt where outcome in (6, 7)"));
    say(lateness(from, to));
    for (String line : byReplica()) {
      say(line);
    }
    say("result=" + (passed ? "PASSED" : "FAILED"));
    return passed;
  }

  /** Ticks with a job, by schedule and second. */
  private Map<String, Integer> ticks(long from, long to) throws SQLException {
    Map<String, Integer> rows = new java.util.HashMap<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select s.name || '@' || extract(epoch from t.nominal)::bigint, count(*)"
                    + " from monotick_server.schedule_tick t"
                    + " join monotick_server.schedule s on s.id = t.schedule"
                    + " where t.job_id is not null and t.nominal >= to_timestamp("
                    + from
                    + ") and t.nominal < to_timestamp("
                    + to
                    + ") group by 1")) {
      while (row.next()) {
        rows.put(row.getString(1), row.getInt(2));
      }
    }
    return rows;
  }

  private String lateness(long from, long to) throws SQLException {
    List<String> parts = new ArrayList<>();
    for (String each : List.of("0.5", "0.95", "0.99", "1")) {
      parts.add(
          "p"
              + each
              + "="
              + number(
                  "select (1000 * percentile_disc("
                      + each
                      + ") within group (order by extract(epoch from fired_at - nominal)))::bigint"
                      + " from monotick_server.schedule_tick where nominal >= to_timestamp("
                      + from
                      + ") and nominal < to_timestamp("
                      + to
                      + ")"));
    }
    return "lateness_millis " + String.join(" ", parts);
  }

  private List<String> byReplica() throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select replica, count(*) from monotick_server.schedule_tick group by 1 order by 1")) {
      while (row.next()) {
        lines.add("fired replica=" + row.getString(1) + " ticks=" + row.getLong(2));
      }
    }
    return lines;
  }

  private void waitUntil(long second) throws SQLException {
    long left = second - databaseSeconds();
    while (left > 0) {
      pause(Math.min(left, 1));
      left = second - databaseSeconds();
    }
  }

  private static void pause(long seconds) {
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
  }

  private long databaseSeconds() throws SQLException {
    return number("select extract(epoch from now())::bigint");
  }

  private long number(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private void execute(String text) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(database.url(), database.user(), database.password());
  }

  private static void say(String line) {
    System.out.println("soak " + line);
  }
}
