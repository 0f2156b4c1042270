package dev.monotick.spi.job;

import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.Lane;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.Effect;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job that a replica has. A plain carrier, made ten thousands of times a second.
 *
 * @param owner the membership it was claimed under; it may begin under no other
 * @param run which claim of the job this is, from 1
 * @param lane what it stood in line with
 * @param version version of the kind that wrote the payload
 * @param payload what the handler gets; null if it is so large that it is better {@linkplain
 *     JobStore#find read} when the job begins: many jobs may wait here for one of few handlers
 * @param rules how it is to be treated
 * @param limitKey what it shares a limit with
 * @param readyAt since when it waited, by the store's clock
 * @param headers trace context and the like
 * @param crashes how often it was lost with its replica, which may not have been its fault
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are carried, never compared
public record ClaimedJob(
    MemberId owner,
    JobRun run,
    Lane lane,
    int version,
    byte @Nullable [] payload,
    JobRules rules,
    Optional<String> limitKey,
    Instant readyAt,
    Map<String, String> headers,
    int crashes) {

  /** Creates one that was never lost with its replica. */
  public ClaimedJob(
      MemberId owner,
      JobRun run,
      Lane lane,
      int version,
      byte @Nullable [] payload,
      JobRules rules,
      Optional<String> limitKey,
      Instant readyAt,
      Map<String, String> headers) {
    this(owner, run, lane, version, payload, rules, limitKey, readyAt, headers, 0);
  }

  /**
   * Returns whether its {@linkplain JobStore#start start} must be on record before its handler
   * begins. It must if a later rescue has to know whether the handler may have begun: a job that
   * may not run twice, and one that was lost with a replica before.
   */
  public boolean needsStart() {
    return crashes > 0 || rules.effect() == Effect.AT_MOST_ONCE;
  }

  /** Returns the job's name. */
  public JobId id() {
    return run.id();
  }
}
