package dev.monotick.bench.cron;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.monotick.schedule.Cron;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.TimeZone;
import java.util.function.UnaryOperator;
import org.springframework.scheduling.support.CronExpression;

/** The libraries compared. */
enum CronLibrary {
  MONOTICK("Monotick", Dialect.STANDARD) {
    @Override
    CronWalk walk(String expression, ZoneId zone) {
      Cron cron = Cron.of(expression).zone(zone);
      return new InstantWalk(time -> cron.next(time).orElseThrow());
    }
  },
  SPRING("Spring 7.0.9", Dialect.STANDARD) {
    @Override
    CronWalk walk(String expression, ZoneId zone) {
      CronExpression cron = CronExpression.parse(expression);
      return new ZonedWalk(zone, time -> orThrow(cron.next(time)));
    }

    private ZonedDateTime orThrow(@org.jspecify.annotations.Nullable ZonedDateTime time) {
      if (time == null) {
        throw new IllegalStateException("no next time");
      }
      return time;
    }
  },
  QUARTZ("Quartz 2.5.2", Dialect.QUARTZ) {
    @Override
    CronWalk walk(String expression, ZoneId zone) {
      try {
        org.quartz.CronExpression cron = new org.quartz.CronExpression(expression);
        cron.setTimeZone(TimeZone.getTimeZone(zone));
        return new DateWalk(cron);
      } catch (ParseException bad) {
        throw new IllegalArgumentException(bad);
      }
    }
  },
  CRON_UTILS("cron-utils 9.2.1", Dialect.QUARTZ) {
    @Override
    CronWalk walk(String expression, ZoneId zone) {
      CronParser parser =
          new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ));
      ExecutionTime cron = ExecutionTime.forCron(parser.parse(expression));
      return new ZonedWalk(zone, time -> cron.nextExecution(time).orElseThrow());
    }
  },
  JOBRUNR("JobRunr 8.7.0", Dialect.STANDARD) {
    @Override
    CronWalk walk(String expression, ZoneId zone) {
      org.jobrunr.scheduling.cron.CronExpression cron =
          new org.jobrunr.scheduling.cron.CronExpression(expression);
      return new InstantWalk(time -> cron.next(Instant.EPOCH, time, zone));
    }
  };

  /** How a library wants its expressions. */
  enum Dialect {
    STANDARD,
    QUARTZ
  }

  final String label;
  final Dialect dialect;

  CronLibrary(String label, Dialect dialect) {
    this.label = label;
    this.dialect = dialect;
  }

  /** Reads an expression in the library's own dialect; throws if the library refuses it. */
  abstract CronWalk walk(String expression, ZoneId zone);

  private static final class InstantWalk implements CronWalk {
    private final UnaryOperator<Instant> next;
    private Instant time = Instant.EPOCH;

    InstantWalk(UnaryOperator<Instant> next) {
      this.next = next;
    }

    @Override
    public void reset(Instant start) {
      time = start;
    }

    @Override
    public void step() {
      time = next.apply(time);
    }

    @Override
    public Instant time() {
      return time;
    }
  }

  private static final class ZonedWalk implements CronWalk {
    private final ZoneId zone;
    private final UnaryOperator<ZonedDateTime> next;
    private ZonedDateTime time;

    ZonedWalk(ZoneId zone, UnaryOperator<ZonedDateTime> next) {
      this.zone = zone;
      this.next = next;
      this.time = Instant.EPOCH.atZone(zone);
    }

    @Override
    public void reset(Instant start) {
      time = start.atZone(zone);
    }

    @Override
    public void step() {
      time = next.apply(time);
    }

    @Override
    public Instant time() {
      return time.toInstant();
    }
  }

  @SuppressWarnings("JavaUtilDate") // Quartz has no other type
  private static final class DateWalk implements CronWalk {
    private final org.quartz.CronExpression cron;
    private Date time = new Date(0);

    DateWalk(org.quartz.CronExpression cron) {
      this.cron = cron;
    }

    @Override
    public void reset(Instant start) {
      time = Date.from(start);
    }

    @Override
    public void step() {
      time = cron.getNextValidTimeAfter(time);
    }

    @Override
    public Instant time() {
      return time.toInstant();
    }
  }
}
