package dev.monotick.server.job.view;

import dev.monotick.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job in a list.
 *
 * @param id its name
 * @param kind what is done
 * @param queue where it waits
 * @param priority from 0, the most urgent, to 9
 * @param state where it is in its life
 * @param createdAt when it was added
 * @param createdBy who wanted it
 * @param dueAt when it may run next, if it waits for its time
 * @param uniqueKey the key it has, or had
 * @param limitKey what it shares a limit with
 * @param parent the job it belongs to
 * @param running what runs now; null unless RUNNING
 */
public record JobView(
    String id,
    String kind,
    String queue,
    int priority,
    JobState state,
    Instant createdAt,
    @Nullable String createdBy,
    @Nullable Instant dueAt,
    @Nullable String uniqueKey,
    @Nullable String limitKey,
    @Nullable String parent,
    @Nullable Running running) {

  /**
   * A run that has not ended.
   *
   * @param run which claim, from 1
   * @param replica who has it
   * @param claimedAt since when
   * @param startedAt when its handler began, once it ran for a second
   * @param progress from 0 to 1, if it says so
   * @param doing a line for people, if it says so
   */
  record Running(
      int run,
      String replica,
      Instant claimedAt,
      @Nullable Instant startedAt,
      @Nullable Double progress,
      @Nullable String doing) {}
}
