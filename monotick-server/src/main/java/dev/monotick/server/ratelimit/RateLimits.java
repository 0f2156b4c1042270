package dev.monotick.server.ratelimit;

import dev.monotick.server.access.Caller;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.CounterOutage;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.Rate;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.Setting;
import dev.monotick.spi.time.TimeSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * All limits on requests: for each kind of request one per key and one per tenant. While the
 * database is away nobody is counted; whether requests then go on, to fail or not by themselves, or
 * are refused, is a setting.
 */
@Component
class RateLimits {

  private static final Logger log = LoggerFactory.getLogger(RateLimits.class);
  private static final long AWAY = Duration.ofSeconds(1).toNanos();

  private final Map<RouteClass, RateLimiter> byKey = new EnumMap<>(RouteClass.class);
  private final Map<RouteClass, RateLimiter> byTenant = new EnumMap<>(RouteClass.class);
  private final CounterOutage whenAway;
  private final TimeSource time;
  private final MeterRegistry registry;
  private final AtomicLong awayUntil;
  private final Counter uncounted;

  RateLimits(RateStore store, ServerSettings settings, TimeSource time, MeterRegistry registry) {
    this.whenAway = settings.get(PlatformSettings.RATE_LIMIT_ON_OUTAGE);
    this.time = time;
    this.registry = registry;
    this.awayUntil = new AtomicLong(time.nanos());
    this.uncounted =
        Counter.builder("monotick.rate.limit.uncounted")
            .description("requests that were not counted because the database was away")
            .register(registry);
    for (RouteClass each : RouteClass.values()) {
      add(byKey, each, "key-" + each.word(), settings.get(ofKey(each)), store);
      add(byTenant, each, "tenant-" + each.word(), settings.get(ofTenant(each)), store);
    }
  }

  private void add(
      Map<RouteClass, RateLimiter> to, RouteClass of, String name, Rate rate, RateStore store) {
    if (!rate.isUnlimited()) {
      to.put(of, new RateLimiter(name, rate, store, time));
    }
    refused(name); // so that the counter is there before anything was refused
  }

  private static Setting<Rate> ofKey(RouteClass of) {
    return switch (of) {
      case READ -> PlatformSettings.RATE_KEY_READ;
      case WRITE -> PlatformSettings.RATE_KEY_WRITE;
      case CREATE -> PlatformSettings.RATE_KEY_CREATE;
    };
  }

  private static Setting<Rate> ofTenant(RouteClass of) {
    return switch (of) {
      case READ -> PlatformSettings.RATE_TENANT_READ;
      case WRITE -> PlatformSettings.RATE_TENANT_WRITE;
      case CREATE -> PlatformSettings.RATE_TENANT_CREATE;
    };
  }

  /**
   * Counts a request.
   *
   * @return what to tell the caller of his key's limit; empty if it has none
   * @throws Problem if there were too many
   */
  Optional<Map<String, String>> take(Caller caller, RouteClass of) {
    Optional<Map<String, String>> told = take(byKey.get(of), caller.id());
    take(byTenant.get(of), caller.tenant());
    return told;
  }

  private Optional<Map<String, String>> take(
      @org.jspecify.annotations.Nullable RateLimiter limiter, String key) {
    if (limiter == null) {
      return Optional.empty();
    }
    if (awayUntil.get() - time.nanos() > 0) {
      return away();
    }
    RateLimiter.Decision decision;
    try {
      decision = limiter.take(key);
    } catch (DataAccessException | TransactionException e) {
      log.warn("rate limits are not counted limiter={}: {}", limiter.name(), e.toString());
      awayUntil.set(time.nanos() + AWAY);
      return away();
    }
    if (!decision.allowed()) {
      refused(limiter.name()).increment();
      throw refusal(limiter, decision);
    }
    return Optional.of(headers(limiter, decision));
  }

  private Optional<Map<String, String>> away() {
    uncounted.increment();
    if (whenAway == CounterOutage.CLOSED) {
      throw Problem.unavailable("the database that counts requests is away; repeat it later");
    }
    return Optional.empty();
  }

  private Counter refused(String name) {
    return Counter.builder("monotick.rate.limit.refused")
        .description("requests that were refused because there were too many")
        .tag("limiter", name)
        .register(registry);
  }

  private static Problem refusal(RateLimiter limiter, RateLimiter.Decision decision) {
    Duration wait = Duration.ofNanos(decision.nanosToNext());
    Rate rate = limiter.rate();
    Problem problem =
        Problem.tooMany(
                "rate-limited",
                "limit "
                    + limiter.name()
                    + " is "
                    + rate.count()
                    + " requests in "
                    + rate.period()
                    + ", "
                    + rate.burst()
                    + " at once; the next one may come in "
                    + wait.toMillis()
                    + " ms",
                wait)
            .with("limiter", limiter.name())
            .with("retryAfterMillis", wait.plusNanos(999_999).toMillis());
    headers(limiter, decision).forEach(problem::header);
    return problem;
  }

  private static Map<String, String> headers(RateLimiter limiter, RateLimiter.Decision decision) {
    Rate rate = limiter.rate();
    String name = "\"" + limiter.name() + "\"";
    return Map.of(
        "RateLimit-Policy",
        name + ";q=" + rate.count() + ";w=" + rate.period().toSeconds(),
        "RateLimit",
        name
            + ";r="
            + decision.left()
            + ";t="
            + Duration.ofNanos(decision.nanosToNext()).plusNanos(999_999_999).toSeconds());
  }
}
