package dev.monotick.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.monotick.spi.job.JobDraft;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a job cannot be is refused where it is said, by the name of the field. */
class JobRequestTest {

  private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);
  private static final JobRequest<String> JOB = JobKind.named("mail", String.class).of("a");

  private static final Instant EARLIEST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  @Test
  void momentThatCannotBeIsRefused() {
    Instant noTimestamp = Instant.parse("-4714-01-01T00:00:00Z");
    for (Instant moment :
        List.of(
            Instant.MIN, noTimestamp, EARLIEST.minusNanos(1), LATEST.plusNanos(1), Instant.MAX)) {
      String range = " must be between " + EARLIEST + " and " + LATEST + ", but was " + moment;
      refused(() -> JOB.at(moment), "at" + range + "; leave it out if none is meant");
      refused(() -> JOB.deadline(moment), "deadline" + range);
      refused(() -> draft(moment), "deadline" + range);
    }
  }

  @Test
  void momentOfOurTimesIsTaken() {
    for (Instant moment : List.of(EARLIEST, LATEST)) {
      assertThat(JOB.at(moment).start().at()).contains(moment);
      assertThat(JOB.deadline(moment).rules().deadline()).contains(moment);
      assertThat(draft(moment).rules().deadline()).contains(moment);
    }
  }

  @Test
  void timeThatCannotBeIsRefused() {
    refused(
        () -> JOB.delay(LONGEST), "delay must be between PT0S and PT87840H, but was " + LONGEST);
    refused(() -> JOB.delay(Duration.ofNanos(-1)), "delay must be between PT0S and");
    refused(() -> JOB.timeout(LONGEST), "timeout must be longer than PT0S and at most PT168H");
    refused(() -> JOB.timeout(Duration.ZERO), "timeout must be longer than PT0S");
    refused(() -> JOB.uniqueKey("k", LONGEST), "uniqueKey window must be longer than PT0S and at");
    refused(() -> JOB.uniqueKey("k", Duration.ofSeconds(-1)), "uniqueKey window must be longer");
    refused(() -> JOB.kind().approval(LONGEST), "approval must be longer than PT0S and at most");
    refused(() -> rate(LONGEST), "rate period must be longer than PT0S and at most PT8784H");
  }

  @Test
  void idempotencyKeyIsAKeyForADay() {
    assertThat(JOB.idempotencyKey("k").unique())
        .contains(new UniqueKey("k", Optional.of(Duration.ofHours(24))));
    refused(() -> JOB.uniqueKey("k").idempotencyKey("l"), "job has the key \"k\" already");
    refused(() -> JOB.idempotencyKey(""), "uniqueKey must be 1 to 500 characters, but was 0");
  }

  private static JobDraft draft(Instant deadline) {
    return new JobDraft(
        JOB.lane(),
        1,
        new byte[0],
        JobStart.NOW,
        new JobRules(
            1,
            Duration.ofSeconds(1),
            Optional.of(deadline),
            Effect.AT_LEAST_ONCE,
            Optional.empty()),
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }

  private static JobLimit rate(Duration period) {
    return new JobLimit(
        new JobLimit.Scope("mail", "", false),
        Optional.empty(),
        Optional.of(new JobLimit.Rate(1, period)));
  }

  private static void refused(ThrowingCallable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessageStartingWith(message);
  }
}
