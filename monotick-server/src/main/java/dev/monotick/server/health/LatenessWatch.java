package dev.monotick.server.health;

import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Watches whether stored schedules are fired in time: one that nobody fires says nothing by itself.
 * Those that are switched off, paused or backing off are not due, and so are not late.
 */
@Component
class LatenessWatch {

  /** Whether it is a thousand or more, somebody has to look. */
  private static final int MOST_COUNTED = 1_000;

  private final Sql sql;
  private final Duration latest;
  private volatile Late last = new Late(0, Duration.ZERO);

  /**
   * What was seen.
   *
   * @param schedules how many are late, at most a thousand
   * @param longest by how much the first of them is
   */
  record Late(long schedules, Duration longest) {}

  LatenessWatch(Sql sql, ServerSettings settings, MeterRegistry registry) {
    this.sql = sql;
    this.latest = settings.get(PlatformSettings.HEALTH_LATE);
    Gauge unusedNumber =
        Gauge.builder("monotick.schedules.late", () -> last.schedules())
            .description("stored schedules that are due and were not fired, at most a thousand")
            .register(registry);
    Gauge unusedLongest =
        Gauge.builder("monotick.schedules.late.seconds", () -> last.longest().toMillis() / 1000.0)
            .description("by how much the first stored schedule is late; 0 if none is")
            .register(registry);
  }

  /** Returns what was seen last. */
  Late last() {
    return last;
  }

  void poll() {
    last =
        sql.of(
                """
                select count(*) as schedules,
                       (coalesce(extract(epoch from now() - min(due_at)), 0) * 1000)::bigint as millis
                  from (select due_at from @schedule
                         where due_at < now() - :latest * interval '1 millisecond'
                         order by due_at limit :most) s
                """)
            .param("latest", latest.toMillis())
            .param("most", MOST_COUNTED)
            .query(
                (row, number) ->
                    new Late(row.getLong("schedules"), Duration.ofMillis(row.getLong("millis"))))
            .single();
  }
}
