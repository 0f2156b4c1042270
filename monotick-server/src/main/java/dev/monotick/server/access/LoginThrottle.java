package dev.monotick.server.access;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Slows down whoever guesses. Failures are counted for each address, over all replicas; after a few
 * of them nothing that comes from there is looked at for a second, then two, then four, up to a
 * quarter of an hour. Another replica learns of it with the first failure that it sees itself.
 * Whoever has proven himself lately is let through all the same: behind one address may be many.
 */
@Component
public class LoginThrottle {

  private static final Duration LONGEST = Duration.ofMinutes(15);
  private static final Duration FORGOTTEN = Duration.ofHours(1);
  private static final int MOST_ADDRESSES = 10_000;

  private final Sql sql;
  private final TimeSource time;
  private final ApplicationEventPublisher events;
  private final long allowed;
  private final Map<String, Long> blockedUntil = new ConcurrentHashMap<>();

  private record Failed(long failures, long blockedMillis) {}

  LoginThrottle(
      Sql sql, TimeSource time, ServerSettings settings, ApplicationEventPublisher events) {
    this.sql = sql;
    this.time = time;
    this.events = events;
    this.allowed = settings.get(PlatformSettings.AUTHENTICATION_FAILURES);
  }

  /** Refuses with 429 while nothing from the address is looked at. */
  void require(String address) {
    Long until = blockedUntil.get(address);
    if (until == null) {
      return;
    }
    long wait = until - time.nanos();
    if (wait <= 0) {
      blockedUntil.remove(address, until);
      return;
    }
    throw refusal(Duration.ofNanos(wait));
  }

  /** Notes a failure and returns the refusal of it. */
  Problem failed(String address, String claimed, Problem refusal) {
    if (allowed < 0) {
      return refusal;
    }
    Failed failed = note(address);
    if (Long.bitCount(failed.failures()) == 1) { // 1, 2, 4, 8 …: nobody floods the audit
      events.publishEvent(new AuthenticationFailedEvent(address, claimed, failed.failures()));
    }
    if (failed.blockedMillis() <= 0) {
      return refusal;
    }
    if (blockedUntil.size() >= MOST_ADDRESSES) {
      blockedUntil.clear();
    }
    Duration wait = Duration.ofMillis(failed.blockedMillis());
    blockedUntil.put(address, time.nanos() + wait.toNanos());
    return refusal(wait);
  }

  private static Problem refusal(Duration wait) {
    return Problem.tooMany(
        "authentication-throttled",
        "too many wrong keys from this address; it is blocked for now",
        wait);
  }

  private Failed note(String address) {
    return sql.of(
            """
            insert into @failed_login as f (address, failures, last_at, until)
            values (:address, 1, now(),
                    case when 1 > :allowed then now() + interval '1 second' end)
            on conflict (address) do update set (failures, last_at, until) = (
              select n.failures, now(),
                     case when n.failures > :allowed
                       then now() + least(cast(:longest as interval),
                         interval '1 second' * power(2, least(n.failures - :allowed - 1, 20))) end
                from (select case when f.last_at < now() - cast(:forgotten as interval) then 1
                                  else f.failures + 1 end as failures) n)
            returning failures, coalesce(extract(epoch from until - now()) * 1000, 0)
            """)
        .param("address", address)
        .param("allowed", (int) Math.min(allowed, Integer.MAX_VALUE))
        .param("longest", LONGEST.toSeconds() + " seconds")
        .param("forgotten", FORGOTTEN.toSeconds() + " seconds")
        .query((row, number) -> new Failed(row.getLong(1), row.getLong(2)))
        .single();
  }

  /** Forgets addresses that were quiet for long. */
  public int removeOld() {
    return sql.of("delete from @failed_login where last_at < now() - cast(:forgotten as interval)")
        .param("forgotten", FORGOTTEN.toSeconds() + " seconds")
        .update();
  }
}
