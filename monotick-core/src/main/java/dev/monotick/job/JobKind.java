package dev.monotick.job;

import static java.util.Objects.requireNonNull;

import dev.monotick.work.Effect;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * What jobs of one name have in common: the type of their payload, and how they are treated unless
 * a single job says otherwise. Immutable; whoever enqueues and whoever handles share one constant.
 *
 * @param <P> type of the payload
 */
public final class JobKind<P> {

  /** The queue of kinds that name none. */
  public static final String DEFAULT_QUEUE = "default";

  private static final JobRules DEFAULT_RULES =
      new JobRules(
          10, Duration.ofMinutes(10), Optional.empty(), Effect.AT_LEAST_ONCE, Optional.empty());

  private final Lane lane;
  private final Class<P> payloadType;
  private final int version;
  private final JobRules rules;
  private final RetryPolicy retry;

  private JobKind(Lane lane, Class<P> payloadType, int version, JobRules rules, RetryPolicy retry) {
    this.lane = lane;
    this.payloadType = payloadType;
    this.version = version;
    this.rules = rules;
    this.retry = retry;
  }

  /**
   * Names a kind.
   *
   * @param name stable over deployments, up to 100 letters, digits and {@code ._-}
   * @param payloadType a record, or whatever the codec can write; strings and bytes as they are
   */
  public static <P> JobKind<P> named(String name, Class<P> payloadType) {
    return new JobKind<>(
        new Lane(DEFAULT_QUEUE, Lane.requireName("kind", name), "", 5),
        requireNonNull(payloadType, "payloadType"),
        1,
        DEFAULT_RULES,
        RetryPolicy.ofDefaults());
  }

  /**
   * The version of the payload, from 1. A replica that knows only an older one puts such a job off,
   * half a second at first and up to 16 s, which costs no attempt, until one that knows it takes
   * it. {@link JobContext#version} says which one wrote the payload.
   */
  public JobKind<P> version(int version) {
    if (version < 1) {
      throw new IllegalArgumentException("version must be at least 1, but was " + version);
    }
    return new JobKind<>(lane, payloadType, version, rules, retry);
  }

  /** The queue its jobs wait in, {@value #DEFAULT_QUEUE} by default. */
  public JobKind<P> queue(String queue) {
    return with(new Lane(queue, lane.kind(), "", lane.priority()));
  }

  /** From 0, the most urgent, to 9; 5 by default. */
  public JobKind<P> priority(int priority) {
    return with(new Lane(lane.queue(), lane.kind(), "", priority));
  }

  /** How often a job is tried, 10 times by default. */
  public JobKind<P> maxAttempts(int maxAttempts) {
    return with(
        new JobRules(
            maxAttempts, rules.timeout(), rules.deadline(), rules.effect(), rules.approval()));
  }

  /** How long one attempt may take, ten minutes by default. */
  public JobKind<P> timeout(Duration timeout) {
    return with(
        new JobRules(
            rules.maxAttempts(), timeout, rules.deadline(), rules.effect(), rules.approval()));
  }

  /** What happens if a replica dies in the middle; by default the job runs again. */
  public JobKind<P> effect(Effect effect) {
    return with(
        new JobRules(
            rules.maxAttempts(), rules.timeout(), rules.deadline(), effect, rules.approval()));
  }

  /** Jobs wait until somebody approves them; after that time without a decision they expire. */
  public JobKind<P> approval(Duration within) {
    return with(
        new JobRules(
            rules.maxAttempts(),
            rules.timeout(),
            rules.deadline(),
            rules.effect(),
            Optional.of(within)));
  }

  /** When failed attempts are repeated. */
  public JobKind<P> retry(RetryPolicy retry) {
    return new JobKind<>(lane, payloadType, version, rules, requireNonNull(retry, "retry"));
  }

  /** Begins a job. */
  public JobRequest<P> of(P payload) {
    return JobRequest.of(this, requireNonNull(payload, "payload"));
  }

  /** Returns the name. */
  public String name() {
    return lane.kind();
  }

  /** Returns the type of the payload. */
  public Class<P> payloadType() {
    return payloadType;
  }

  /** Returns the version of the payload. */
  public int version() {
    return version;
  }

  /** Returns queue and priority, of no tenant. */
  public Lane lane() {
    return lane;
  }

  /** Returns how its jobs are treated. */
  public JobRules rules() {
    return rules;
  }

  /** Returns when failed attempts are repeated. */
  public RetryPolicy retry() {
    return retry;
  }

  private JobKind<P> with(Lane lane) {
    return new JobKind<>(lane, payloadType, version, rules, retry);
  }

  private JobKind<P> with(JobRules rules) {
    return new JobKind<>(lane, payloadType, version, rules, retry);
  }

  @Override
  public String toString() {
    return name() + " v" + version;
  }
}
