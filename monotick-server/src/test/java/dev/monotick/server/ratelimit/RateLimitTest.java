package dev.monotick.server.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.ratelimit.RateStore.Bucket;
import dev.monotick.server.ratelimit.RateStore.Grant;
import dev.monotick.server.setting.Rate;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;

/** Limits that hold over all replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class RateLimitTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation
        .with("monotick.rate-limit.key.read", "100/s burst 60")
        .with("monotick.rate-limit.key.create", "2/m burst 2")
        .with("monotick.rate-limit.key.write", "unlimited")
        .with("monotick.rate-limit.tenant.write", "1/h")
        .with("monotick.rate-limit.cleanup-interval", "1s");
    installation.start();
    installation.start();
    installation.with("monotick.rate-limit.on-outage", "closed").start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  @Test
  @Order(1)
  void aBucketGivesItsBurstAndThenWhatComesIn() {
    RateStore store = installation.bean(0, RateStore.class);
    Bucket bucket = new Bucket("test", "a");

    assertThat(store.take(bucket, SECOND, 10, 4, 0).count()).isEqualTo(4);
    assertThat(store.take(bucket, SECOND, 10, 4, 0).count()).isEqualTo(4);
    Grant third = store.take(bucket, SECOND, 10, 4, 0);
    assertThat(third.count()).isEqualTo(2);
    assertThat(third.left()).isZero();
    Grant none = store.take(bucket, SECOND, 10, 4, 0);
    assertThat(none.count()).isZero();
    assertThat(none.nanosToNext()).isBetween(SECOND / 2, SECOND);
    assertThat(store.take(bucket, SECOND, 10, 4, 3).count()).as("what was put back").isEqualTo(3);
    assertThat(store.take(new Bucket("test", "b"), SECOND, 10, 4, 0).count()).isEqualTo(4);
    assertThat(store.take(new Bucket("other", "a"), SECOND, 10, 4, 0).count()).isEqualTo(4);
  }

  @Test
  @Order(2)
  void neverMoreThanTheLimitOverAllReplicas() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    AtomicLong allowed = new AtomicLong();
    AtomicLong refused = new AtomicLong();
    long start = System.nanoTime();
    List<Callable<Void>> work = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Api api = installation.api(i % 3);
      work.add(
          () -> {
            while (System.nanoTime() - start < 3 * SECOND) {
              Api.Answer answer = api.get("/v1/audit?limit=1");
              (answer.status() == 200 ? allowed : refused).incrementAndGet();
              assertThat(answer.status()).isIn(200, 429);
            }
            return null;
          });
    }
    for (Future<Void> each : threads.invokeAll(work)) {
      each.get();
    }
    threads.shutdown();
    double seconds = (System.nanoTime() - start) / 1e9;

    assertThat(refused.get()).isPositive();
    assertThat((double) allowed.get()).isLessThanOrEqualTo(60 + 100 * seconds);
    // What may be missing: the lease by which the bucket is smaller, and one for each replica.
    assertThat((double) allowed.get()).isGreaterThan(60 + 100 * seconds - 4 * 10 - 60);
  }

  @Test
  @Order(3)
  void aRefusalSaysWhenToComeBack() {
    Object body = Api.json("kind", "nothing", "payload", Api.json());
    Api.Answer first = installation.api(0).post("/v1/jobs", body);
    Api.Answer second = installation.api(1).post("/v1/jobs", body);
    Api.Answer third = installation.api(2).post("/v1/jobs", body);

    assertThat(first.status()).isEqualTo(400);
    assertThat(first.header("RateLimit-Policy")).isEqualTo("\"key-create\";q=2;w=60");
    assertThat(first.header("RateLimit")).startsWith("\"key-create\";r=1;");
    assertThat(second.status()).isEqualTo(400);
    assertThat(third.status()).isEqualTo(429);
    assertThat(third.text("type")).isEqualTo("urn:monotick:problem:rate-limited");
    assertThat(third.text("limiter")).isEqualTo("key-create");
    assertThat(Long.parseLong(third.header("Retry-After"))).isBetween(20L, 30L);
    assertThat(third.header("RateLimit")).startsWith("\"key-create\";r=0;t=");
    assertThat(third.body().path("retryAfterMillis").asLong()).isBetween(20_000L, 30_000L);
  }

  @Test
  @Order(4)
  void tenantsHaveLimitsOfTheirOwn() {
    Api api = installation.api();
    assertThat(api.call("DELETE", "/v1/jobs/1", null).status()).isNotEqualTo(429);
    Api.Answer answer = installation.api(1).call("DELETE", "/v1/jobs/1", null);
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.text("limiter")).isEqualTo("tenant-write");
    assertThat(api.with("Monotick-Tenant", "another").call("DELETE", "/v1/jobs/1", null).status())
        .isNotEqualTo(429);
  }

  @Test
  @Order(5)
  void fullBucketsAreForgotten() {
    Sql sql = installation.bean(0, Sql.class);
    installation.bean(0, RateStore.class).take(new Bucket("short", "x"), 1_000, 10, 1, 0);
    Eventually.until(
        "the bucket is gone",
        () ->
            sql.of("select count(*) from @rate_limit where limiter = 'short'")
                    .query(Long.class)
                    .single()
                == 0);
    assertThat(
            sql.of("select count(*) from @rate_limit where limiter = 'tenant-write'")
                .query(Long.class)
                .single())
        .isPositive();
  }

  @Test
  @Order(6)
  void whenNobodyCanCountItIsAsTheOperatorSaid() {
    Sql sql = installation.bean(0, Sql.class);
    sql.composed("alter table @rate_limit rename to rate_limit_away").update();

    Eventually.until(
        "open: requests go on", () -> installation.api(0).get("/v1/audit").status() == 200);
    Eventually.until(
        "closed: requests are refused", () -> installation.api(2).get("/v1/audit").status() == 503);
    assertThat(installation.api(0).post("/v1/jobs", "{}").status()).isEqualTo(400);

    sql.composed("alter table @rate_limit_away rename to rate_limit").update();
    Eventually.until(
        "both count again", () -> installation.api(2).get("/v1/audit").status() == 200);
  }

  @Test
  @Order(7)
  void ratesAreReadAsPeopleWriteThem() {
    assertThat(Rate.parse("100/s")).isEqualTo(new Rate(100, Duration.ofSeconds(1), 100));
    assertThat(Rate.parse("600/m")).isEqualTo(new Rate(600, Duration.ofMinutes(1), 100));
    assertThat(Rate.parse("5/h burst 3")).isEqualTo(new Rate(5, Duration.ofHours(1), 3));
    assertThat(Rate.parse("unlimited").isUnlimited()).isTrue();
    for (String wrong : List.of("", "0/s", "5", "5/x", "-1/s", "5/s burst 0", "5/s burst")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> Rate.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be a rate");
    }
  }
}
