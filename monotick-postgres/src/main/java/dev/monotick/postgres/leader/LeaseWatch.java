package dev.monotick.postgres.leader;

import dev.monotick.spi.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long a lease has not changed while this candidate watched, by its own ticker.
 *
 * <p>No clock of another machine takes part: a renewal that was acknowledged has changed the row,
 * so whoever sees the same row twice knows that none was acknowledged in between. The first look is
 * counted from when its answer <em>arrived</em>, which is later than when the newest renewal was
 * sent; after the holder's full lease duration from there, the holder has stopped to rely on its
 * term, which it does earlier by its margin. The margin pays for tickers of different speed.
 *
 * <p>A look at another history of the server (a promoted standby, which may have forgotten
 * renewals) begins anew.
 *
 * <p>Written by one call at a time; {@link #untilRunOut} may be asked by anybody.
 */
final class LeaseWatch {

  private final Ticker ticker;
  private final Duration ownDuration;
  private volatile @Nullable Watched watched;

  private record Watched(LeaseRow row, long timeline, long since, long nanos) {}

  LeaseWatch(Ticker ticker, Duration ownDuration) {
    this.ticker = ticker;
    this.ownDuration = ownDuration;
  }

  /** Notes what was seen, now that the answer has arrived. */
  void observed(LeaseRow row, long timeline) {
    Watched before = watched;
    if (before == null || before.timeline != timeline || !before.row.isSameAs(row)) {
      Duration duration = row.duration();
      Duration longer = duration.compareTo(ownDuration) > 0 ? duration : ownDuration;
      watched = new Watched(row, timeline, ticker.read(), longer.toNanos());
    }
  }

  /** Says whether the row that was seen last has been silent for so long that its term is over. */
  boolean hasRunOut() {
    Watched last = watched;
    return last != null && remaining(last) <= 0;
  }

  /** Returns how long it takes until the lease has run out; empty if it has, or is not watched. */
  Optional<Duration> untilRunOut() {
    Watched last = watched;
    if (last == null || last.row.released()) {
      return Optional.empty();
    }
    long left = remaining(last);
    return left > 0 ? Optional.of(Duration.ofNanos(left)) : Optional.empty();
  }

  private long remaining(Watched last) {
    return last.nanos - (ticker.read() - last.since);
  }
}
