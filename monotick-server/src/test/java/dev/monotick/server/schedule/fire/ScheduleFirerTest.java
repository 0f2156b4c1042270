package dev.monotick.server.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.TestSchedules;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;

/** One tick is one job, however many replicas look. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ScheduleFirerTest {

  private static final int MANY = 300;

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.quota.retained-jobs", "unlimited")
          .with("monotick.quota.schedules", "unlimited");
  private final List<Api> replicas = new ArrayList<>();

  @BeforeAll
  void start() {
    for (int i = 0; i < 3; i++) {
      replicas.add(installation.start());
    }
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Sql sql(int replica) {
    return installation.bean(replica, Sql.class);
  }

  private long calls(String path) {
    return receiver.calls().stream().filter(call -> call.path().equals(path)).count();
  }

  @Test
  @Order(1)
  void anEditOnOneReplicaTakesEffectOnTheOthers() {
    String id =
        TestSchedules.create(
            replicas.get(0), TestSchedules.every("edit", "PT1H", receiver.url("/edit-before")));
    String path = "/v1/schedules/" + id;

    Api.Answer changed =
        replicas
            .get(1)
            .with("If-Match", "*")
            .call("PUT", path, TestSchedules.every("edit", "PT1S", receiver.url("/edit-after")));

    assertThat(changed.status()).isEqualTo(200);
    Eventually.until("it fires by its new times", () -> calls("/edit-after") >= 2);
    assertThat(calls("/edit-before")).isZero();
    replicas.get(2).post(path + "/disable");
    long fired = fired(id);
    String other =
        TestSchedules.create(
            replicas.get(2), TestSchedules.every("other", "PT1S", receiver.url("/other")));
    Eventually.until("another one goes on", () -> calls("/other") >= 3);
    assertThat(fired(id)).isEqualTo(fired);
    replicas.get(0).post("/v1/schedules/" + other + "/disable");
  }

  private long fired(String id) {
    return replicas.get(0).get("/v1/schedules/" + id).body().path("counts").path("fired").asLong();
  }

  @Test
  @Order(2)
  void everyTickIsOneCallWhileReplicasComeAndGo() {
    for (int i = 0; i < MANY; i++) {
      TestSchedules.create(
          replicas.get(i % 3),
          TestSchedules.but(
              TestSchedules.cron("many-" + i, "* * * * * *", receiver.url("/many-" + i)),
              "onOverlap",
              "ALLOW",
              "catchUp",
              Api.json("mode", "ALL")));
    }
    Sql sql = sql(0);
    Eventually.until("they fire", () -> ticks(sql) > MANY * 2L);
    installation.stop(2);
    Eventually.until("they go on", () -> ticks(sql) > MANY * 5L);
    sql.of("update @schedule set enabled = false").update();
    Eventually.until("all ended", () -> open(sql) == 0);

    Map<String, Long> byKey =
        receiver.calls().stream()
            .filter(call -> call.path().startsWith("/many-"))
            .collect(
                Collectors.groupingBy(
                    call -> call.headers().get("Idempotency-Key"), Collectors.counting()));
    Map<String, Long> byTick =
        receiver.calls().stream()
            .filter(call -> call.path().startsWith("/many-"))
            .collect(
                Collectors.groupingBy(
                    call -> call.path() + call.headers().get("Monotick-Nominal-Time"),
                    Collectors.counting()));
    assertThat(byKey.values()).containsOnly(1L);
    assertThat(byTick.values()).containsOnly(1L);
    assertThat(byTick).hasSize((int) ticks(sql));
    assertThat(gaps(sql)).isZero();
    assertThat(firedBy(sql)).contains("replica-1", "replica-2");
    assertThat(
            sql.of(
                    """
                    select percentile_cont(0.5) within group
                             (order by extract(epoch from fired_at - nominal))
                      from @schedule_tick where job_id is not null
                    """)
                .query(Double.class)
                .single())
        .as("median lateness in seconds")
        .isLessThan(1.0);
  }

  private static long ticks(Sql sql) {
    return sql.of(
            """
            select count(*) from @schedule_tick t join @schedule s on s.id = t.schedule
             where s.name like 'many-%'
            """)
        .query(Long.class)
        .single();
  }

  private static long open(Sql sql) {
    return sql.of("select count(*) from @schedule_tick where outcome is null")
        .query(Long.class)
        .single();
  }

  /** Seconds between the first and the last tick of a schedule that have none. */
  private static long gaps(Sql sql) {
    return sql.of(
            """
            select coalesce(sum(extract(epoch from last - first)::bigint + 1 - ticks), 0) from (
              select min(t.nominal) as first, max(t.nominal) as last, count(*) as ticks
                from @schedule_tick t join @schedule s on s.id = t.schedule
               where s.name like 'many-%' group by t.schedule) as each
            """)
        .query(Long.class)
        .single();
  }

  private static List<String> firedBy(Sql sql) {
    return sql.of("select distinct replica from @schedule_tick")
        .query((row, number) -> row.getString(1))
        .list();
  }
}
