package dev.monotick.spi.job;

import dev.monotick.job.JobLimit;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.job.UniqueKey;
import java.util.Map;
import java.util.Optional;

/**
 * A job that somebody wants.
 *
 * @param lane what it stands in line with
 * @param version version of the kind that wrote the payload
 * @param payload what the handler gets, as the codec wrote it; must not be changed any more
 * @param start when it may run
 * @param rules how it is to be treated
 * @param unique keeps it from being the same as another; empty for nothing
 * @param limitKey what it shares a {@linkplain JobLimit limit} with, beside kind and tenant
 * @param headers trace context and the like; few and short
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are carried, never compared
public record JobDraft(
    Lane lane,
    int version,
    byte[] payload,
    JobStart start,
    JobRules rules,
    Optional<UniqueKey> unique,
    Optional<String> limitKey,
    Map<String, String> headers) {

  /** Copies the headers; refuses deadlines that no store can keep. */
  public JobDraft {
    // Here and not in the rules, which are read from stores as well: nothing that is there already
    // may keep a claim from being read.
    rules.deadline().ifPresent(deadline -> JobStart.requireMoment("deadline", deadline));
    headers = Map.copyOf(headers);
  }
}
