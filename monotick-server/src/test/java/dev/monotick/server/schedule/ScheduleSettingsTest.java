package dev.monotick.server.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.monotick.Monotick;
import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Each setting of schedules has an effect. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ScheduleSettingsTest {

  private static final int SAME_TIME = 5;

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.schedules.interval", "300ms")
          .with("monotick.schedules.batch", "1")
          .with("monotick.schedules.reconcile-interval", "700ms")
          .with("monotick.schedules.retention", "1s")
          .with("monotick.schedules.retention-interval", "2s");

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
  void loopsRunAsOftenAsTheyAreTold() {
    Map<String, String> times =
        installation.bean(0, Monotick.class).tasks().stream()
            .collect(
                Collectors.toMap(
                    task -> task.task().name(), task -> task.task().schedule().toString()));

    assertThat(times)
        .contains(
            entry("schedule-firing", "@every 300ms"),
            entry("schedule-reconcile", "@every 700ms"),
            entry("schedule-retention", "@every 2s"));
  }

  @Test
  void aBatchIsOneTransactionAndOldTicksGo() {
    Api api = installation.api();
    Sql sql = installation.bean(0, Sql.class);
    String at =
        sql.of(
                "select to_char((now() + interval '4 s') at time zone 'UTC',"
                    + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
            .query(String.class)
            .single();
    for (int i = 0; i < SAME_TIME; i++) {
      TestSchedules.create(
          api,
          TestSchedules.but(
              TestSchedules.without(
                  TestSchedules.every("same-" + i, "PT1S", receiver.url("/same")), "every"),
              "at",
              at));
    }

    Eventually.until("all fire", () -> receiver.calls().size() == SAME_TIME);

    assertThat(
            sql.of(
                    """
                    select count(distinct xmin::text) from @audit_event
                     where action = 'schedule_fired'
                    """)
                .query(Long.class)
                .single())
        .isEqualTo(SAME_TIME);
    Eventually.until(
        "ticks are removed",
        () -> sql.of("select count(*) from @schedule_tick").query(Long.class).single() == 0);
  }
}
