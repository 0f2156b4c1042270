package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.Monotick;
import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** What can be set has its effect: those settings that no test of a feature shows by the way. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class SettingEffectTest {

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.replica.view-interval", "1700ms")
          .with("monotick.replica.commands-interval", "1800ms")
          .with("monotick.idempotency.retention", "5m")
          .with("monotick.idempotency.cleanup-interval", "1s")
          .with("monotick.audit.verification-interval", "11s")
          .with("monotick.audit.full-verification-interval", "12s")
          .with("monotick.audit.retention-interval", "13s")
          .with("monotick.audit.engine-interval", "1900ms")
          .with("monotick.rate-limit.cleanup-interval", "14s")
          .with("monotick.job-retention.interval", "15s")
          .with("monotick.metrics.interval", "16s")
          .with("monotick.events.interval", "170ms")
          .with("monotick.database.connections", "5")
          .with("monotick.worker.concurrency", "3")
          .with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  @Test
  void loopsRunAsOftenAsIsSet() {
    Map<String, String> times =
        installation.bean(0, Monotick.class).tasks().stream()
            .collect(
                Collectors.toMap(
                    task -> task.task().name(), task -> task.task().schedule().toString()));

    assertThat(times.get("replica-view")).contains("1s700ms");
    assertThat(times.get("replica-orders")).contains("1s800ms");
    assertThat(times.get("idempotency-cleanup")).contains(" 1s");
    assertThat(times.get("audit-verification")).contains("11s");
    assertThat(times.get("audit-full-verification")).contains("12s");
    assertThat(times.get("audit-retention")).contains("13s");
    assertThat(times.get("engine-audit")).contains("1s900ms");
    assertThat(times.get("rate-limit-cleanup")).contains("14s");
    assertThat(times.get("job-retention")).contains("15s");
    assertThat(times.get("metrics")).contains("16s");
    assertThat(times.get("event-tail")).contains("170ms");
  }

  @Test
  void oldIdempotencyKeysAreForgotten() {
    Sql sql = installation.bean(0, Sql.class);
    for (int minutes : new int[] {4, 6}) {
      sql.of(
              """
              insert into @idempotency (tenant, key, request, created_at)
              values ('default', 'old-' || :minutes, '', now() - :minutes * interval '1 minute')
              """)
          .param("minutes", minutes)
          .update();
    }

    Eventually.until("the older is forgotten", () -> keys(sql, "old-6") == 0);
    assertThat(keys(sql, "old-4")).isEqualTo(1);
  }

  private static long keys(Sql sql, String key) {
    return sql.of("select count(*) from @idempotency where key = :key")
        .param("key", key)
        .query(Long.class)
        .single();
  }

  @Test
  void aReplicaRunsSoManyJobsAtATime() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    receiver.answers(
        call -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          LockSupport.parkNanos(100_000_000);
          now.decrementAndGet();
          return 200;
        });
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ids.add(Work.create(installation.api(), Work.http(receiver.url("/at-a-time"))));
    }

    ids.forEach(id -> Work.await(installation.api(), id, "SUCCEEDED"));

    assertThat(most).hasValue(3);
  }

  @Test
  void theDatabaseIsReachedAsIsSet() {
    Sql sql = installation.bean(0, Sql.class);
    assertThat(
            sql.of("select count(*) from information_schema.tables where table_schema = :schema")
                .param("schema", installation.schema())
                .query(Long.class)
                .single())
        .isGreaterThan(10);
    assertThat(installation.bean(0, HikariDataSource.class).getMaximumPoolSize()).isEqualTo(5);

    for (String each : List.of("username", "password")) {
      Installation other = installation.sibling().with("monotick.database." + each, "wrong");
      assertThatThrownBy(other::start)
          .hasStackTraceContaining("password authentication failed for user");
    }
  }

  /** As triggers see it, in transactions of the REST API and of the engine. */
  @Test
  void durabilityIsLeftToTheDatabaseIfThatIsSet() {
    Sql admin = installation.bean(0, Sql.class);
    try (Installation other =
        Installation.create().with("monotick.database.durable-commits", "false")) {
      String schema = other.schema().replaceAll("_server$", "");
      String role = "r_" + schema;
      admin.composed("create role " + role + " login superuser password 'secret'").update();
      admin.composed("alter role " + role + " set synchronous_commit = off").update();
      other.with("monotick.database.username", role).with("monotick.database.password", "secret");
      Api api = other.start();
      String seen = schema + ".seen";
      admin.composed("create table " + seen + " (place text, setting text)").update();
      admin
          .composed(
              "create function "
                  + seen
                  + "() returns trigger language plpgsql as $$ begin insert into "
                  + seen
                  + " values (tg_table_name, current_setting('synchronous_commit'));"
                  + " return null; end $$")
          .update();
      for (String table : List.of("job", "job_attempt")) {
        admin
            .composed(
                "create trigger see after insert on "
                    + schema
                    + "."
                    + table
                    + " for each statement execute function "
                    + seen
                    + "()")
            .update();
      }

      Work.await(api, Work.create(api, Work.http(receiver.url("/durable"))), "SUCCEEDED");

      assertThat(
              admin
                  .composed(
                      "select count(distinct place) || string_agg(distinct setting, ',') from "
                          + seen)
                  .query(String.class)
                  .single())
          .isEqualTo("2off");
    }
  }

  @Test
  void withoutADatabaseOneIsStartedInTheFolder(@TempDir Path folder) {
    Path data = folder.resolve("here");
    try (Installation alone =
        Installation.create()
            .with("monotick.database.url", "")
            .with("monotick.database.username", "")
            .with("monotick.database.password", "")
            .with("monotick.data.folder", data.toString())) {
      assertThat(alone.start().get("/health").status()).isEqualTo(200);

      assertThat(Files.isDirectory(data)).isTrue();
      assertThat(alone.bean(0, HikariDataSource.class).getJdbcUrl())
          .isNotEqualTo(installation.bean(0, HikariDataSource.class).getJdbcUrl());
    }
  }

  @Test
  void theAdminKeyIsTheOneThatIsSet() {
    String own = "mt_own_abcdefghijklmnopqrstuvwxyz";
    try (Installation other = Installation.create().with("monotick.admin.key", own)) {
      Api api = other.start();

      assertThat(api.as(own).get("/v1/configuration").status()).isEqualTo(200);
      assertThat(api.get("/v1/configuration").status()).isEqualTo(401);
      assertThatThrownBy(other.sibling().with("monotick.admin.key", "mt_own_short")::start)
          .hasStackTraceContaining("MONOTICK_ADMIN_KEY must be");
    }
  }

  @Test
  void aReplicaListensWhereItIsTold() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (Installation other =
        installation
            .sibling()
            .with("monotick.replica.name", "elsewhere")
            .with("monotick.server.port", String.valueOf(port))
            .with("monotick.server.address", "127.0.0.2")) {
      other.start();

      assertThat(other.port(0)).isEqualTo(port);
      assertThat(isOpen("127.0.0.2", port)).isTrue();
      assertThat(isOpen("127.0.0.1", port)).isFalse();
    }
  }

  private static boolean isOpen(String address, int port) {
    try (Socket socket = new Socket(InetAddress.getByName(address), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void workGoesOnForAsLongAsIsSetAtAStop() {
    CountDownLatch released = new CountDownLatch(1);
    receiver.answers(
        call -> {
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return 200;
        });
    // Apart from the others, so that nobody else takes these jobs.
    try (Installation patient = Installation.create().with("monotick.shutdown.grace", "25s");
        Installation hasty = Installation.create().with("monotick.shutdown.grace", "0s")) {
      Work.create(patient.start(), Work.http(receiver.url("/patient")));
      Work.create(hasty.start(), Work.http(receiver.url("/hasty")));
      Eventually.until("both are called", () -> calls("/patient") + calls("/hasty") == 2);
      Sql looks = installation.bean(0, Sql.class);

      hasty.stop(0); // comes back though the call goes on
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> patient.stop(0));
      assertThat(stopped).isNotDone();
      released.countDown();
      stopped.join();

      assertThat(succeeded(looks, patient)).isEqualTo(1);
      assertThat(succeeded(looks, hasty)).isZero();
    } finally {
      released.countDown();
    }
  }

  private long calls(String path) {
    return receiver.calls().stream().filter(call -> call.path().equals(path)).count();
  }

  /** The replica has gone, so its tables are looked at through another. */
  private static long succeeded(Sql sql, Installation of) {
    String schema = of.schema().replaceAll("_server$", "");
    return sql.composed("select count(*) from " + schema + ".job_attempt where result is not null")
        .query(Long.class)
        .single();
  }

  @Test
  void limitsOfKeysAndTenantsAreWhatIsSet() {
    Work.tenant(installation.api(), "limited");
    try (Installation other =
        installation
            .sibling()
            .with("monotick.replica.name", "limited")
            .with("monotick.rate-limit.tenant.read", "1/h burst 1")
            .with("monotick.rate-limit.tenant.create", "1/h burst 1")
            .with("monotick.rate-limit.key.write", "1/h burst 1")) {
      Api api = other.start().with("Monotick-Tenant", "limited");

      assertThat(limiter(api, "GET")).isEqualTo("tenant-read");
      assertThat(limiter(api, "POST")).isEqualTo("tenant-create");
      assertThat(limiter(api, "DELETE")).isEqualTo("key-write");
    }
  }

  /** Returns what refuses the second of two requests. */
  private static String limiter(Api api, String method) {
    Api.Answer last = api.call(method, "/v1/jobs/1", null);
    for (int i = 0; i < 2 && last.status() != 429; i++) {
      last = api.call(method, "/v1/jobs/1", null);
    }
    return Work.expect(429, last).text("limiter");
  }

  @Test
  void whoListensToEventsHasToConnectAnewAfterAWhile() {
    try (Installation other =
        installation
            .sibling()
            .with("monotick.replica.name", "brief")
            .with("monotick.events.longest", "1s")) {
      // It would be read for as long as it lasts, and nobody waits for longer than a minute.
      assertThat(other.start().get("/v1/events").status()).isEqualTo(200);
    }
  }

  @Test
  void leasesThatCannotBeAreRefusedBySetting() {
    for (String each : List.of("duration", "renew-interval", "renew-timeout", "margin")) {
      String wrong = each.equals("duration") ? "1s" : "1m";
      Installation other = installation.sibling().with("monotick.lease." + each, wrong);
      assertThatThrownBy(other::start)
          .as(each)
          .rootCause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong.equals("1s") ? "PT1S" : "PT1M");
    }
  }
}
