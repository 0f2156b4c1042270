package dev.monotick.job;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A job somebody wants: a payload, and what is other than its kind says. Immutable; every value is
 * checked where it is given.
 *
 * @param <P> type of the payload
 */
public final class JobRequest<P> {

  private static final Duration IDEMPOTENCY = Duration.ofHours(24);
  private static final int MOST_HEADERS = 20;
  private static final int LONGEST_HEADER = 1_000;

  private final JobKind<P> kind;
  private final P payload;
  private Lane lane;
  private JobRules rules;
  private JobStart start = JobStart.NOW;
  private Optional<UniqueKey> unique = Optional.empty();
  private Optional<String> limitKey = Optional.empty();
  private Map<String, String> headers = Map.of();

  private JobRequest(JobKind<P> kind, P payload) {
    this.kind = kind;
    this.payload = payload;
    this.lane = kind.lane();
    this.rules = kind.rules();
  }

  private JobRequest(JobRequest<P> other) {
    this.kind = other.kind;
    this.payload = other.payload;
    this.lane = other.lane;
    this.rules = other.rules;
    this.start = other.start;
    this.unique = other.unique;
    this.limitKey = other.limitKey;
    this.headers = other.headers;
  }

  static <P> JobRequest<P> of(JobKind<P> kind, P payload) {
    return new JobRequest<>(kind, payload);
  }

  /** Not before so long from now. */
  public JobRequest<P> delay(Duration delay) {
    JobRequest<P> copy = new JobRequest<>(this);
    copy.start = new JobStart(delay, start.at());
    return copy;
  }

  /** Not before that moment, of the years 1970 to 2199; at once if it has passed. */
  public JobRequest<P> at(Instant at) {
    JobRequest<P> copy = new JobRequest<>(this);
    copy.start = new JobStart(start.delay(), Optional.of(requireNonNull(at, "at")));
    return copy;
  }

  /** From 0, the most urgent, to 9. */
  public JobRequest<P> priority(int priority) {
    return with(new Lane(lane.queue(), lane.kind(), lane.tenant(), priority));
  }

  /** Another queue than the kind's. */
  public JobRequest<P> queue(String queue) {
    return with(new Lane(queue, lane.kind(), lane.tenant(), lane.priority()));
  }

  /** Whose job it is; tenants share fairly, whatever the others have waiting. */
  public JobRequest<P> tenant(String tenant) {
    return with(new Lane(lane.queue(), lane.kind(), tenant, lane.priority()));
  }

  /** At most one active job of this kind and tenant has the key; asking again gives that one. */
  public JobRequest<P> uniqueKey(String key) {
    return with(new UniqueKey(key, Optional.empty()));
  }

  /** The same for so long from its creation, whatever becomes of the job. */
  public JobRequest<P> uniqueKey(String key, Duration window) {
    return with(new UniqueKey(key, Optional.of(window)));
  }

  /** The caller's key: asking twice within a day gives the same job, however often it is sent. */
  public JobRequest<P> idempotencyKey(String key) {
    return with(new UniqueKey(key, Optional.of(IDEMPOTENCY)));
  }

  /** Jobs of a key share a limit; see {@link Jobs#limit}. */
  public JobRequest<P> limitKey(String key) {
    if (key.isEmpty() || key.length() > 200) {
      throw new IllegalArgumentException(
          "limitKey must be 1 to 200 characters, but was " + key.length());
    }
    JobRequest<P> copy = new JobRequest<>(this);
    copy.limitKey = Optional.of(key);
    return copy;
  }

  /** After that moment, of the years 1970 to 2199, no attempt begins; the job expires. */
  public JobRequest<P> deadline(Instant deadline) {
    return with(
        new JobRules(
            rules.maxAttempts(),
            rules.timeout(),
            Optional.of(JobStart.requireMoment("deadline", deadline)),
            rules.effect(),
            rules.approval()));
  }

  /** How often it is tried. */
  public JobRequest<P> maxAttempts(int maxAttempts) {
    return with(
        new JobRules(
            maxAttempts, rules.timeout(), rules.deadline(), rules.effect(), rules.approval()));
  }

  /** How long one attempt may take. */
  public JobRequest<P> timeout(Duration timeout) {
    return with(
        new JobRules(
            rules.maxAttempts(), timeout, rules.deadline(), rules.effect(), rules.approval()));
  }

  /** Something that travels with the job, such as {@code traceparent}. */
  public JobRequest<P> header(String name, String value) {
    if (name.isEmpty() || name.length() > 100 || value.length() > LONGEST_HEADER) {
      throw new IllegalArgumentException(
          "header must have a name of 1 to 100 and a value of at most "
              + LONGEST_HEADER
              + " characters, but was "
              + name.length()
              + " and "
              + value.length());
    }
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    if (more.size() > MOST_HEADERS) {
      throw new IllegalArgumentException(
          "header " + name + " is one more than the " + MOST_HEADERS + " a job may have");
    }
    JobRequest<P> copy = new JobRequest<>(this);
    copy.headers = Map.copyOf(more);
    return copy;
  }

  /** Returns the kind. */
  public JobKind<P> kind() {
    return kind;
  }

  /** Returns the payload. */
  public P payload() {
    return payload;
  }

  /** Returns queue, kind, tenant and priority. */
  public Lane lane() {
    return lane;
  }

  /** Returns how the job is treated. */
  public JobRules rules() {
    return rules;
  }

  /** Returns when it may run. */
  public JobStart start() {
    return start;
  }

  /** Returns what keeps it from being the same as another. */
  public Optional<UniqueKey> unique() {
    return unique;
  }

  /** Returns what it shares a limit with. */
  public Optional<String> limitKey() {
    return limitKey;
  }

  /** Returns what travels with it. */
  public Map<String, String> headers() {
    return headers;
  }

  private JobRequest<P> with(Lane changed) {
    JobRequest<P> copy = new JobRequest<>(this);
    copy.lane = changed;
    return copy;
  }

  private JobRequest<P> with(JobRules changed) {
    JobRequest<P> copy = new JobRequest<>(this);
    copy.rules = changed;
    return copy;
  }

  private JobRequest<P> with(UniqueKey key) {
    if (unique.isPresent()) {
      throw new IllegalArgumentException(
          "job has the key \""
              + unique.get().key()
              + "\" already; a job has one uniqueKey or idempotencyKey");
    }
    JobRequest<P> copy = new JobRequest<>(this);
    copy.unique = Optional.of(requireNonNull(key, "key"));
    return copy;
  }
}
