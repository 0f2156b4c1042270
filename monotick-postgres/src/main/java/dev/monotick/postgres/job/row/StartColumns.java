package dev.monotick.postgres.job.row;

import dev.monotick.job.JobStart;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What keeps drafts from being ready at once, column by column. */
public final class StartColumns {

  public static final String TYPES =
      "?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::integer";

  /** How many parameters of a statement they are. */
  public static final int COUNT = 7;

  private final @Nullable Long @Nullable [] delays;
  private final @Nullable Long @Nullable [] starts;
  private final @Nullable Long @Nullable [] deadlines;
  private final @Nullable Long @Nullable [] approvals;
  private final @Nullable String @Nullable [] uniques;
  private final @Nullable Long @Nullable [] windows;
  private final int follow;

  public StartColumns(List<JobDraft> drafts, Follow follow) {
    delays = longs(drafts, draft -> positive(draft.start().delay()));
    starts = longs(drafts, draft -> draft.start().at().map(JobColumns::micros));
    deadlines = longs(drafts, draft -> draft.rules().deadline().map(JobColumns::micros));
    approvals = longs(drafts, draft -> draft.rules().approval().map(StartColumns::millis));
    windows =
        longs(drafts, draft -> draft.unique().flatMap(UniqueKey::window).map(StartColumns::millis));
    uniques =
        drafts.stream().noneMatch(draft -> draft.unique().isPresent())
            ? null
            : drafts.stream()
                .map(
                    draft ->
                        draft.unique().map(unique -> JobColumns.text(unique.key())).orElse(null))
                .toArray(String[]::new);
    this.follow =
        switch (follow) {
          case NONE -> 0;
          case CHAIN -> 1;
          case LAST_AFTER_ALL -> 2;
        };
  }

  /** Says whether all are ready at once, and have nothing to do with others. */
  public static boolean isNeeded(List<JobDraft> drafts, Follow follow) {
    if (follow != Follow.NONE) {
      return true;
    }
    for (JobDraft draft : drafts) {
      if (draft.unique().isPresent()
          || draft.rules().deadline().isPresent()
          || draft.rules().approval().isPresent()
          || !draft.start().equals(JobStart.NOW)) {
        return true;
      }
    }
    return false;
  }

  private static Optional<Long> positive(Duration delay) {
    return delay.isZero() ? Optional.empty() : Optional.of(JobColumns.micros(delay));
  }

  private static long millis(Duration duration) {
    return Math.max(1, duration.toMillis());
  }

  /** Returns null if no draft has a value. */
  private static @Nullable Long @Nullable [] longs(
      List<JobDraft> drafts, Function<JobDraft, Optional<Long>> value) {
    @Nullable Long[] values = new @Nullable Long[drafts.size()];
    boolean any = false;
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(drafts.get(i)).orElse(null);
      any |= values[i] != null;
    }
    return any ? values : null;
  }

  /** Sets parameters from that index on. */
  public void set(PreparedStatement statement, int first) throws SQLException {
    int index = first;
    JobColumns.set(statement, index++, delays);
    JobColumns.set(statement, index++, starts);
    JobColumns.set(statement, index++, deadlines);
    JobColumns.set(statement, index++, approvals);
    JobColumns.set(statement, index++, uniques);
    JobColumns.set(statement, index++, windows);
    statement.setInt(index, follow);
  }
}
