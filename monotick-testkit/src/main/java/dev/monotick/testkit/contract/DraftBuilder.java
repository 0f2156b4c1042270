package dev.monotick.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A draft of a job, as the contracts write it: only what a test is about is said. */
public final class DraftBuilder {

  static final String QUEUE = "mail";
  public static final String KIND = "send";

  private String queue = QUEUE;
  private String kind = KIND;
  private String tenant = "";
  private int priority = 5;
  private int version = 1;
  private byte[] payload = "hello".getBytes(UTF_8);
  private JobStart start = JobStart.NOW;
  private int maxAttempts = 3;
  private Optional<Instant> deadline = Optional.empty();
  private Effect effect = Effect.AT_LEAST_ONCE;
  private Optional<Duration> approval = Optional.empty();
  private Optional<UniqueKey> unique = Optional.empty();
  private Optional<String> limitKey = Optional.empty();
  private Map<String, String> headers = Map.of();

  private DraftBuilder() {}

  public static DraftBuilder aJob() {
    return new DraftBuilder();
  }

  public DraftBuilder queue(String queue) {
    this.queue = queue;
    return this;
  }

  public DraftBuilder kind(String kind) {
    this.kind = kind;
    return this;
  }

  public DraftBuilder tenant(String tenant) {
    this.tenant = tenant;
    return this;
  }

  public DraftBuilder priority(int priority) {
    this.priority = priority;
    return this;
  }

  DraftBuilder version(int version) {
    this.version = version;
    return this;
  }

  DraftBuilder payload(byte[] payload) {
    this.payload = payload;
    return this;
  }

  public DraftBuilder after(Duration delay) {
    this.start = new JobStart(delay, start.at());
    return this;
  }

  DraftBuilder notBefore(Instant at) {
    this.start = new JobStart(start.delay(), Optional.of(at));
    return this;
  }

  public DraftBuilder maxAttempts(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    return this;
  }

  public DraftBuilder deadline(Instant deadline) {
    this.deadline = Optional.of(deadline);
    return this;
  }

  public DraftBuilder atMostOnce() {
    this.effect = Effect.AT_MOST_ONCE;
    return this;
  }

  public DraftBuilder approval(Duration approval) {
    this.approval = Optional.of(approval);
    return this;
  }

  public DraftBuilder unique(String key) {
    this.unique = Optional.of(new UniqueKey(key, Optional.empty()));
    return this;
  }

  DraftBuilder unique(String key, Duration window) {
    this.unique = Optional.of(new UniqueKey(key, Optional.of(window)));
    return this;
  }

  public DraftBuilder limitKey(String key) {
    this.limitKey = Optional.of(key);
    return this;
  }

  DraftBuilder headers(Map<String, String> headers) {
    this.headers = headers;
    return this;
  }

  public JobDraft draft() {
    return new JobDraft(
        new Lane(queue, kind, tenant, priority),
        version,
        payload,
        start,
        new JobRules(maxAttempts, Duration.ofMinutes(1), deadline, effect, approval),
        unique,
        limitKey,
        headers);
  }
}
