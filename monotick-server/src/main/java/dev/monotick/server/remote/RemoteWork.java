package dev.monotick.server.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Work that goes on elsewhere.
 *
 * @param id its name
 * @param jobId the job that waits for it
 * @param state how far it is
 * @param accepted whether the call that began it came off
 * @param left how long until the attempt has failed, by the database's clock
 * @param end what came out of it, if it has ended
 */
public record RemoteWork(
    UUID id, long jobId, State state, boolean accepted, Duration left, Optional<WorkResult> end) {

  /** How far it is. */
  public enum State {
    /** Nobody has it yet, or the called service has it. */
    WAITING,
    /** An agent has it. */
    LEASED,
    /** It succeeded. */
    DONE,
    /** It failed. */
    FAILED,
    /** Its job was over before. */
    CANCELLED
  }

  /**
   * What came out.
   *
   * @param at when
   * @param result what it gave, as JSON
   * @param error why it failed
   * @param permanent whether another attempt would not mend that
   * @param taken whether the job knows
   */
  public record WorkResult(
      Instant at,
      Optional<String> result,
      Optional<String> error,
      boolean permanent,
      boolean taken) {}
}
