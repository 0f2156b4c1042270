package dev.monotick.server.trace;

import dev.monotick.spi.job.JobDraft;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The headers of W3C Trace Context, as requests and jobs carry them. */
public final class TraceHeaders {

  /** Which trace, and which span of it. */
  public static final String PARENT = "traceparent";

  /** What vendors add to that. */
  public static final String STATE = "tracestate";

  /** Ids of zeros and the version ff mean that there is none. */
  private static final Pattern VALID =
      Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  /** Printable, on one line, and no longer than everybody must pass on. */
  private static final Pattern STATE_VALID = Pattern.compile("[ -~]{1,512}");

  private TraceHeaders() {}

  /** Returns those of both that can be passed on: none if the parent is missing or wrong. */
  public static Map<String, String> of(@Nullable String parent, @Nullable String state) {
    if (parent == null || !VALID.matcher(parent).matches()) {
      return Map.of();
    }
    return state != null && STATE_VALID.matcher(state).matches()
        ? Map.of(PARENT, parent, STATE, state)
        : Map.of(PARENT, parent);
  }

  /** Returns those among the headers of a job. */
  public static Map<String, String> of(Map<String, String> headers) {
    return of(headers.get(PARENT), headers.get(STATE));
  }

  /** Returns a job with these in the place of the ones it had. */
  public static JobDraft given(JobDraft job, Map<String, String> trace) {
    Map<String, String> all = new LinkedHashMap<>(job.headers());
    all.remove(PARENT);
    all.remove(STATE);
    all.putAll(trace);
    return new JobDraft(
        job.lane(),
        job.version(),
        job.payload(),
        job.start(),
        job.rules(),
        job.unique(),
        job.limitKey(),
        all);
  }
}
