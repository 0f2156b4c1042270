package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.Monotick;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.work.Effect;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** With which settings a whole engine works, on connections that begin with all others. */
@Timeout(120)
class ConnectionSettingsTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class);
  private static final JobKind<String> IDLE = JobKind.named("idle", String.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** How the engine connects. */
  enum Way {
    /** By a URL that leads to the server. */
    URL,
    /** By a pool of the application. */
    POOL,
    /** By a URL that leads to a pooler, which gives each transaction another session. */
    POOLER
  }

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
  }

  /** Each statement that writes is asked by a trigger. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void everyWriteHasTheEnginesSettings(Way way) throws Exception {
    SettingsRole role = keep(new SettingsRole(TestDatabase.NEWEST));
    PostgresStore store = store(way, role);
    String schema = role.database().schema();
    role.execute(
        """
        create table %1$s.seen (settings text[], tab text, query text);
        create function %1$s.see() returns trigger language plpgsql as $$
        begin
          insert into %1$s.seen values (array[%2$s], tg_table_name, current_query());
          return null;
        end $$;
        do $$
        declare name text;
        begin
          for name in
            select c.oid::regclass from pg_class c
             where c.relnamespace = '%1$s'::regnamespace and c.relkind in ('r', 'p')
               and c.relname <> 'seen' and not c.relispartition
          loop
            execute 'create trigger see after insert or update or delete on ' || name
              || ' for each statement execute function %1$s.see()';
          end loop;
        end $$;
        """
            .formatted(schema, SettingsRole.SETTINGS));
    work(store);
    assertThat(role.read("select count(*) > 20, count(distinct tab) > 8 from " + schema + ".seen"))
        .as("there was something to see")
        .containsExactly("t", "t");
    assertThat(
            role.read(
                "select count(*), min(settings::text), min(tab), min(query) from "
                    + schema
                    + ".seen where settings[1] <> 'read committed' or settings[2] <> 'on'"
                    + " or settings[3] <> 'off' or settings[4:6] && array['11min', '12min',"
                    + " '13min', '0']"))
        .containsExactly("0", "null", "null", "null");
  }

  /** As counted by a server that can compile, and would compile whatever reads a table. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void noStatementIsCompiled(Way way) throws Exception {
    SettingsRole role = keep(new SettingsRole(TestDatabase.PACKAGED));
    assumeTrue(
        role.read("select current_setting('server_version_num')::int >= 150000").contains("t"),
        "the server does not count what it compiles");
    String self = "'" + role.database().user() + "'::regrole";
    role.execute("create extension if not exists pg_stat_statements");
    role.execute("select pg_stat_statements_reset(" + self + ")");
    PostgresStore store = store(way, role);
    work(store);
    String compiled =
        "select count(*), min(query) from pg_stat_statements where jit_functions > 0 and userid = "
            + self;
    assertThat(role.read(compiled)).containsExactly("0", "null");
    try (Connection connection = role.database().connect()) {
      SettingsRole.row(connection, "select count(*) from pg_class");
    }
    assertThat(role.read(compiled)).as("and it does compile").startsWith("1");
  }

  /**
   * What is asked before there is an engine: functions that come first tell how they are called.
   */
  @Test
  void statementsOfTheStartHaveTheEnginesSettings() {
    SettingsRole role = keep(new SettingsRole(TestDatabase.NEWEST));
    TestDatabase database = role.database();
    String shadows = database.schema() + "_shadows";
    String seen = shadows + ".seen";
    role.execute("create schema " + shadows);
    role.execute("create table " + seen + " (place text, jit text, timeout text)");
    for (String function :
        List.of(
            "pg_backend_pid() returns int",
            "pg_try_advisory_lock(key bigint) returns boolean",
            "current_database() returns text",
            "current_setting(name text, missing_ok boolean) returns text")) {
      String call = function.replaceAll(" (bigint|text|boolean)([,)])", "$2");
      role.execute(
          "create function %1$s.%2$s language plpgsql as $$ begin insert into %3$s values ('%4$s',"
                  .formatted(shadows, function, seen, call)
              + " pg_catalog.current_setting('jit'),"
              + " pg_catalog.current_setting('statement_timeout'));"
              + " return pg_catalog.%s; end $$".formatted(call.replaceAll(" returns .*", "")));
    }
    role.execute(
        "alter role " + database.user() + " set search_path = " + shadows + ", pg_catalog");
    keep(
        PostgresStore.builder()
            .url(database.url())
            .user(database.user())
            .password(database.password())
            .schema(database.schema())
            .build());
    assertThat(role.read("select count(distinct place) from " + seen)).containsExactly("4");
    assertThat(role.read("select count(*), min(place) from " + seen + " where timeout = '11min'"))
        .containsExactly("0", "null");
    assertThat(
            role.read(
                "select count(*), min(place) from "
                    + seen
                    + " where jit <> 'off' and place ~ '^pg_'"))
        .containsExactly("0", "null");
  }

  @Test
  void connectionsAndTransactionsOfTheApplicationKeepTheirSettings() throws Exception {
    SettingsRole role = keep(new SettingsRole(TestDatabase.NEWEST));
    HikariDataSource pool = pool(role, 7);
    PostgresStore store =
        keep(
            PostgresStore.builder()
                .dataSource(pool)
                .directDataSource(direct(role))
                .schema(role.database().schema())
                .build());
    Jobs jobs = Monotick.jobs(store);
    String settings = "select " + SettingsRole.SETTINGS;
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      JobId id = jobs.enqueue(connection, IDLE.of("in the transaction of the caller")).id();
      assertThat(SettingsRole.row(connection, settings)).isEqualTo(SettingsRole.DEFAULTS);
      connection.commit();
      assertThat(store.jobDecisions(connection).cancel(id, "me", "enough")).isTrue();
      assertThat(SettingsRole.row(connection, settings)).isEqualTo(SettingsRole.DEFAULTS);
      connection.commit();
    }
    jobs.counts();
    jobs.list(JobFilter.in(JobState.READY), 10);
    jobs.enqueue(IDLE.of("alone"));
    Deque<Connection> all = new ArrayDeque<>();
    for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
      all.add(keep(pool.getConnection()));
    }
    for (Connection connection : all) {
      assertThat(SettingsRole.row(connection, settings)).isEqualTo(SettingsRole.DEFAULTS);
    }
  }

  @Test
  void durabilityIsLeftToTheServerIfTheUserSaysSo() throws Exception {
    SettingsRole role = keep(new SettingsRole(TestDatabase.NEWEST));
    TestDatabase database = role.database();
    PostgresStore store =
        keep(
            PostgresStore.builder()
                .url(database.url())
                .user(database.user())
                .password(database.password())
                .schema(database.schema())
                .durableCommits(false)
                .build());
    String seen = database.schema() + ".seen";
    role.execute("create table " + seen + " (setting text)");
    role.execute(
        """
        create function %1$s() returns trigger language plpgsql as $$
        begin
          insert into %1$s values (current_setting('synchronous_commit'));
          return null;
        end $$;
        create trigger see after insert on %2$s.job for each statement execute function %1$s();
        """
            .formatted(seen, database.schema()));
    Monotick.jobs(store).enqueue(IDLE.of("a"));
    assertThat(role.read("select string_agg(distinct setting, ',') from " + seen))
        .containsExactly("off");
  }

  /** It is the handler's, so its isolation is too; what the engine adds to it decides. */
  @Test
  void transactionOfAHandlerIsDurableAndNotCompiledWhereItIsOurs() throws Exception {
    SettingsRole role = keep(new SettingsRole(TestDatabase.NEWEST));
    String seen = role.database().schema() + ".seen";
    PostgresStore store = store(Way.URL, role);
    role.execute("create table " + seen + " (settings text[])");
    role.execute(
        """
        create function %1$s() returns trigger language plpgsql as $$
        begin
          insert into %1$s values (array[%3$s]);
          return null;
        end $$;
        create trigger see after insert on %2$s.job_attempt
          for each statement execute function %1$s();
        """
            .formatted(seen, role.database().schema(), SettingsRole.SETTINGS));
    JobKind<String> kind = JobKind.named("written", String.class).effect(Effect.TRANSACTIONAL);
    BlockingQueue<List<String>> before = new LinkedBlockingQueue<>();
    Monotick engine =
        Monotick.builder()
            .store(store)
            .handler(
                kind,
                job -> {
                  job.transaction(
                      direct(role),
                      connection ->
                          before.add(
                              SettingsRole.row(connection, "select " + SettingsRole.SETTINGS)));
                  return JobOutcome.done();
                })
            .build();
    engine.start();
    open.add(() -> engine.stop(Duration.ZERO));
    Jobs jobs = engine.jobs();
    assertThat(jobs.await(jobs.enqueue(kind.of("a")).id(), PATIENCE)).isPresent();
    assertThat(before.take()).isEqualTo(SettingsRole.DEFAULTS);
    assertThat(role.read("select settings[1], settings[2], settings[3], settings[6] from " + seen))
        .containsExactly("serializable", "on", "off", "2s");
  }

  /** Does what there is to do with tasks and jobs, and reads all that can be read. */
  private void work(PostgresStore store) throws Exception {
    CountDownLatch led = new CountDownLatch(1);
    CountDownLatch shared = new CountDownLatch(1);
    Monotick engine =
        Monotick.builder()
            .store(store)
            .replicaName("one")
            .handler(KIND, job -> JobOutcome.done("done"))
            .build();
    for (HaMode mode : List.of(HaMode.LEADER, HaMode.ONE_REPLICA)) {
      engine.register(
          Task.named(mode == HaMode.LEADER ? "led" : "shared")
              .every(Duration.ofMillis(200))
              .mode(mode)
              .run(context -> (mode == HaMode.LEADER ? led : shared).countDown()));
    }
    engine.start();
    open.add(() -> engine.stop(Duration.ZERO));
    Jobs jobs = engine.jobs();
    for (int i = 0; i < 3; i++) {
      assertThat(jobs.await(jobs.enqueue(KIND.of("a")).id(), PATIENCE)).isPresent();
    }
    jobs.enqueue(List.of(KIND.of("b"), KIND.of("c").uniqueKey("c")));
    jobs.chain(List.of(KIND.of("d"), KIND.of("e")));
    JobId idle = jobs.enqueue(IDLE.of("f")).id();
    jobs.enqueue(IDLE.of("g").delay(Duration.ofHours(1)));
    assertThat(jobs.cancel(idle, "me", "enough")).isTrue();
    assertThat(jobs.requeue(List.of(idle), "me")).isNotNull();
    jobs.pause(JobPause.Of.QUEUE, "other", "me", "for a while");
    jobs.limit(
        new JobLimit(
            new JobLimit.Scope("idle", JobLimit.Scope.EACH, false),
            Optional.of(1),
            Optional.empty()));
    assertThat(jobs.find(idle)).isPresent();
    assertThat(jobs.list(JobFilter.in(JobState.SUCCEEDED), 10)).isNotEmpty();
    assertThat(jobs.counts()).isNotEmpty();
    assertThat(jobs.log(idle, 10)).isEmpty();
    assertThat(jobs.pauses()).hasSize(1);
    assertThat(jobs.limits()).hasSize(1);
    assertThat(store.jobHealth()).isNotNull();
    assertThat(led.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(shared.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(engine.history("led", 10)).isNotEmpty();
    assertThat(engine.replicas()).hasSize(1);
    assertThat(engine.stop(Duration.ofSeconds(10)).isClean()).isTrue();
  }

  private PostgresStore store(Way way, SettingsRole role) {
    TestDatabase database = role.database();
    PostgresStoreBuilder builder = PostgresStore.builder().schema(database.schema());
    switch (way) {
      case URL -> builder.url(database.url()).user(database.user()).password(database.password());
      case POOL -> builder.dataSource(pool(role, 10));
      case POOLER -> {
        PgBouncer pooler = keep(PgBouncer.start(database, "transaction", 5));
        builder.url(pooler.database().url()).user(database.user()).password(database.password());
      }
    }
    return keep(builder.build());
  }

  private HikariDataSource pool(SettingsRole role, int size) {
    HikariDataSource pool = keep(new HikariDataSource());
    pool.setJdbcUrl(role.database().url());
    pool.setUsername(role.database().user());
    pool.setPassword(role.database().password());
    pool.setMaximumPoolSize(size);
    return pool;
  }

  private static PGSimpleDataSource direct(SettingsRole role) {
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setUrl(role.database().url());
    direct.setUser(role.database().user());
    direct.setPassword(role.database().password());
    return direct;
  }

  private <T extends AutoCloseable> T keep(T resource) {
    open.add(resource);
    return resource;
  }
}
