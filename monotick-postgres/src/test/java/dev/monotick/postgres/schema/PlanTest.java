package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** How the server finds ticks: by index, and where the time is known in one partition. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class PlanTest {

  private final SchemaFixture fixture;

  PlanTest(int major) {
    fixture = new SchemaFixture(major);
  }

  @BeforeEach
  void fillEightDays() {
    fixture.migrations().migrate();
    fixture.execute("drop table @tick_other");
    fixture.execute(
        """
        do $$
        declare day date;
        begin
          for i in 1 .. 8 loop
            day := date '2026-01-01' + i;
            execute format('create table @schema.history_%s partition of @tick for values from (%L) to (%L)',
              i, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
          end loop;
        end
        $$
        """);
    fixture.execute(
        "insert into @tick (task, nominal, last_nominal, status, outcome, detail, ended_at)"
            + " select 'task-' || n, t, t, 'ENDED', 'SUCCEEDED', repeat('x', 50), t"
            + " from generate_series(1, 20) n, generate_series(timestamptz '2026-01-02 00:00Z',"
            + " timestamptz '2026-01-09 23:59Z', interval '15 minutes') t");
    fixture.execute("update @tick set status = 'RUNNING' where nominal = '2026-01-05 00:00Z'");
    fixture.execute("vacuum analyze @tick");
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void aTickIsFoundInItsPartitionByItsKey() throws SQLException {
    String plan =
        plan(
            "update @tick set status = 'ENDED' where task = 'task-1'"
                + " and nominal = '2026-01-03 00:00Z' and trigger_key = ''");
    assertThat(plan).contains("Index Scan using history_2_pkey").doesNotContain("history_1");
  }

  @Test
  void aTickIsFoundInItsPartitionEvenIfThePlanIsOlderThanTheQuestion() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      fixture.query(
          connection, "select set_config('plan_cache_mode', 'force_generic_plan', false)");
      try (var statement = connection.createStatement()) {
        statement.execute(
            fixture.resolve(
                "prepare find (timestamptz) as select * from @tick"
                    + " where task = 'task-1' and nominal = $1 and trigger_key = ''"));
      }
      String plan =
          String.join(
              "\n",
              fixture.query(
                  connection, "explain (analyze, timing off) execute find ('2026-01-03 00:00Z')"));
      assertThat(plan).contains("history_2_pkey").doesNotContain("Seq Scan", "history_1");
    }
  }

  @Test
  void liveTicksAreFoundByTheirIndexHoweverLongTheHistory() throws SQLException {
    assertThat(
            plan("select * from @tick where task = 'task-1' and (status <> 'ENDED' or occupies)"))
        .contains("history_8_task_idx")
        .doesNotContain("Seq Scan on history");
  }

  @Test
  void theNewestTicksOfATaskAreFoundWithoutSorting() throws SQLException {
    assertThat(plan("select * from @tick where task = 'task-1' order by nominal desc limit 20"))
        .contains("Index Scan Backward using history_8_pkey")
        .doesNotContain("Seq Scan on history", "Sort  ");
  }

  private String plan(String sql) throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      return String.join("\n", fixture.query(connection, "explain " + sql));
    }
  }
}
