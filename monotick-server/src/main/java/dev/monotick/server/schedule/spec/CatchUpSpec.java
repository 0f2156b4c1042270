package dev.monotick.server.schedule.spec;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What happens to ticks that were due while nobody was there.
 *
 * @param mode LATEST if not given
 * @param window how late the latest may be; 24 hours if not given
 * @param most how many are made up for, if all are
 */
record CatchUpSpec(@Nullable Mode mode, @Nullable String window, @Nullable Integer most) {

  /** How many. */
  enum Mode {
    /** The newest, if it is not too late. */
    LATEST,
    /** None. */
    NONE,
    /** The newest ones, up to a number. */
    ALL
  }

  private static final int MOST = 1_000;

  CatchUp policy() {
    Mode wanted = mode == null ? Mode.LATEST : mode;
    if (window != null && wanted != Mode.LATEST) {
      throw Problem.invalid("catchUp.window", "catchUp.window belongs to LATEST; leave it out");
    }
    if (most != null && wanted != Mode.ALL) {
      throw Problem.invalid("catchUp.most", "catchUp.most belongs to ALL; leave it out");
    }
    return switch (wanted) {
      case NONE -> CatchUp.none();
      case ALL -> CatchUp.all(RequestFields.number("catchUp.most", most, MOST, 1, MOST));
      case LATEST -> latest();
    };
  }

  private CatchUp latest() {
    if (window == null) {
      return CatchUp.ofDefaults();
    }
    Duration late = RequestFields.duration("catchUp.window", window);
    return RequestFields.checked("catchUp.window", () -> CatchUp.latestWithin(late));
  }
}
