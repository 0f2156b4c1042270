package dev.monotick.server.engine;

import dev.monotick.spi.metric.MetricSink.Completion;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Outcomes of jobs and ticks that the store refuses to record on this replica. Thread-safe. */
@Component
public class CompletionHealth {

  private final Map<Completion, Refused> refused = new EnumMap<>(Completion.class); // by this

  /**
   * Outcomes that are not recorded.
   *
   * @param count how many
   * @param since since when they are refused, by the store's clock
   */
  public record Refused(int count, Instant since) {}

  /** Creates it without any. */
  public CompletionHealth() {}

  /** Takes how many outcomes are refused now; since is null for none. */
  public synchronized void changed(Completion of, int count, @Nullable Instant since) {
    if (since == null) {
      refused.remove(of);
    } else {
      refused.put(of, new Refused(count, since));
    }
  }

  /** Returns what is refused now; empty if everything is recorded. */
  public synchronized Map<Completion, Refused> now() {
    return new EnumMap<>(refused);
  }
}
