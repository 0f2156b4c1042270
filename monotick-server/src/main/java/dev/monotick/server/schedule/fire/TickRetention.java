package dev.monotick.server.schedule.fire;

import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.ServerSettings;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Removes old ticks, and ends those of which nobody will tell any more. */
@Component
public class TickRetention {

  private static final int BATCH = 5_000;

  private final Sql sql;
  private final Duration kept;

  TickRetention(Sql sql, ServerSettings settings) {
    this.sql = sql;
    this.kept = settings.get(ScheduleSettings.RETENTION);
  }

  public void run() {
    endForgotten();
    int removed;
    do {
      removed =
          sql.of(
                  """
                  delete from @schedule_tick where ctid = any (array(
                    select ctid from @schedule_tick
                     where fired_at < now() - :seconds * interval '1 second'
                       and outcome is not null
                     order by fired_at limit :limit for update skip locked))
                  """)
              .param("seconds", kept.toSeconds())
              .param("limit", BATCH)
              .update();
    } while (removed == BATCH);
  }

  /** Jobs may be forgotten, and schedules deleted, before their ticks were told. */
  private void endForgotten() {
    sql.of(
            """
            update @schedule_tick t
               set outcome = 'UNKNOWN', reason = 'its job is forgotten', ended_at = now()
             where t.outcome is null and t.job_id is not null
               and t.fired_at < now() - interval '1 minute'
               and not exists (select from @@job j where j.id = t.job_id)
            """)
        .update();
    sql.of(
            """
            update @schedule_tick t
               set outcome = 'CANCELLED', reason = 'its schedule was deleted', ended_at = now()
             where t.outcome is null and t.job_id is null
               and not exists (select from @schedule s where s.id = t.schedule)
            """)
        .update();
  }
}
