package dev.monotick.spi.job;

import dev.monotick.job.JobId;
import java.util.List;
import java.util.Optional;

/**
 * Jobs to be added together, all or none. A draft that another job has the unique key of adds
 * nothing: what follows it follows the new one before it, and the job that is there already waits
 * for nobody new and is waited for by nobody new.
 *
 * @param drafts the jobs
 * @param follow what comes after what; empty if they have nothing to do with each other
 * @param parent the job that wants them, if one does
 * @param depth how many jobs a queue may have that nobody runs (scheduled, awaiting approval, ready
 *     or retrying) before it takes no more; empty for any number
 */
public record EnqueueRequest(
    List<JobDraft> drafts, Follow follow, Optional<JobId> parent, Optional<Long> depth) {

  /** What comes after what. */
  public enum Follow {
    /** Nothing. */
    NONE,
    /**
     * Each waits for the success of the one before it; if it does not succeed, they are cancelled.
     */
    CHAIN,
    /** The last waits until all others have ended, however they did. */
    LAST_AFTER_ALL
  }

  /** Jobs that have nothing to do with each other. */
  public static EnqueueRequest of(List<JobDraft> drafts) {
    return new EnqueueRequest(drafts, Follow.NONE, Optional.empty(), Optional.empty());
  }

  /** Copies the drafts. */
  public EnqueueRequest {
    drafts = List.copyOf(drafts);
  }
}
