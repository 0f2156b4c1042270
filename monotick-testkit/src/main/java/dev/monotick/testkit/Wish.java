package dev.monotick.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.JobLane;
import dev.monotick.job.JobRules;
import dev.monotick.job.UniqueKey;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobStart;
import dev.monotick.task.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A draft of a job, as the contracts write it: only what a test is about is said. */
final class Wish {

  static final String QUEUE = "mail";
  static final String KIND = "send";

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

  private Wish() {}

  static Wish aJob() {
    return new Wish();
  }

  Wish queue(String queue) {
    this.queue = queue;
    return this;
  }

  Wish kind(String kind) {
    this.kind = kind;
    return this;
  }

  Wish tenant(String tenant) {
    this.tenant = tenant;
    return this;
  }

  Wish priority(int priority) {
    this.priority = priority;
    return this;
  }

  Wish version(int version) {
    this.version = version;
    return this;
  }

  Wish payload(byte[] payload) {
    this.payload = payload;
    return this;
  }

  Wish after(Duration delay) {
    this.start = new JobStart(delay, start.at());
    return this;
  }

  Wish notBefore(Instant at) {
    this.start = new JobStart(start.delay(), Optional.of(at));
    return this;
  }

  Wish maxAttempts(int maxAttempts) {
    this.maxAttempts = maxAttempts;
    return this;
  }

  Wish deadline(Instant deadline) {
    this.deadline = Optional.of(deadline);
    return this;
  }

  Wish atMostOnce() {
    this.effect = Effect.AT_MOST_ONCE;
    return this;
  }

  Wish approval(Duration approval) {
    this.approval = Optional.of(approval);
    return this;
  }

  Wish unique(String key) {
    this.unique = Optional.of(new UniqueKey(key, Optional.empty()));
    return this;
  }

  Wish unique(String key, Duration window) {
    this.unique = Optional.of(new UniqueKey(key, Optional.of(window)));
    return this;
  }

  Wish limitKey(String key) {
    this.limitKey = Optional.of(key);
    return this;
  }

  Wish headers(Map<String, String> headers) {
    this.headers = headers;
    return this;
  }

  JobDraft draft() {
    return new JobDraft(
        new JobLane(queue, kind, tenant, priority),
        version,
        payload,
        start,
        new JobRules(maxAttempts, Duration.ofMinutes(1), deadline, effect, approval),
        unique,
        limitKey,
        headers);
  }
}
