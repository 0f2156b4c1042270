package dev.monotick.server.execution;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobOutcome;
import dev.monotick.server.execution.CallFailedException.How;
import dev.monotick.server.remote.Callbacks;
import dev.monotick.server.remote.RemoteWait;
import dev.monotick.server.remote.RemoteWait.RemoteFailedException;
import dev.monotick.server.remote.RemoteWorks;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Runs one attempt at an {@code http} job. */
@Component
class HttpRun {

  private static final Duration LONGEST_WAIT = Duration.ofDays(7);

  private final HttpCaller caller;
  private final CallHeaders headers;
  private final TimeSource time;
  private final Duration longest;
  private final Later later;

  /** What belongs to calls that are answered later. */
  @Component
  record Later(Callbacks callbacks, RemoteWorks works, RemoteWait waits) {}

  HttpRun(
      HttpCaller caller,
      CallHeaders headers,
      TimeSource time,
      ServerSettings settings,
      Later later) {
    this.caller = caller;
    this.headers = headers;
    this.time = time;
    this.longest = settings.get(ExecutionSettings.HTTP_TIMEOUT);
    this.later = later;
  }

  /** Returns how long a call may take. */
  static Duration timeout(HttpCall call, Duration longest) {
    if (call.timeout() == null) {
      return longest;
    }
    Duration wanted = Duration.parse(call.timeout());
    return wanted.compareTo(longest) < 0 ? wanted : longest;
  }

  JobOutcome run(JobContext<HttpCall> job) throws CallFailedException, RemoteFailedException {
    HttpCall call = job.payload();
    if (!call.callback()) {
      return outcome(call, answer(job, Optional.empty()));
    }
    Optional<JobOutcome> known = later.waits().outcome(job);
    return known.isPresent() ? known.get() : runWithCallback(job);
  }

  private JobOutcome runWithCallback(JobContext<HttpCall> job)
      throws CallFailedException, RemoteFailedException {
    HttpCall call = job.payload();
    Callbacks.Invitation invitation =
        later
            .callbacks()
            .invite(job, Optional.ofNullable(call.callbackTimeout()).map(Duration::parse));
    Attempted attempted = answer(job, Optional.of(invitation));
    if (attempted.answer().isPresent() && attempted.answer().get().status() == 202) {
      later.works().accept(invitation.id());
      // It may have called back before it answered.
      return later.waits().outcome(job).orElseGet(() -> JobOutcome.snooze(Duration.ZERO));
    }
    if (attempted.failure().map(CallFailedException::how).orElse(How.CONNECT) != How.BROKEN) {
      later.works().withdraw(invitation.id());
    }
    return outcome(call, attempted);
  }

  /** One of both. */
  private record Attempted(
      Optional<HttpResponseData> answer, Optional<CallFailedException> failure) {}

  private Attempted answer(JobContext<HttpCall> job, Optional<Callbacks.Invitation> invitation) {
    HttpCall call = job.payload();
    long end = time.nanos() + timeout(call, longest).toNanos();
    try {
      HttpResponseData answer =
          caller.call(
              new OutgoingCall(
                  call.method(),
                  call.uri(),
                  CallHeaders.body(job),
                  headers.of(job, invitation),
                  end,
                  job::isCancelled));
      return new Attempted(Optional.of(answer), Optional.empty());
    } catch (CallFailedException e) {
      return new Attempted(Optional.empty(), Optional.of(e));
    }
  }

  private JobOutcome outcome(HttpCall call, Attempted attempted) throws CallFailedException {
    if (attempted.failure().isPresent()) {
      CallFailedException failure = attempted.failure().get();
      if (failure.how() != How.REFUSED && call.retries().on(failure.how().name())) {
        throw failure;
      }
      return JobOutcome.fail(String.valueOf(failure.getMessage()));
    }
    HttpResponseData answer = attempted.answer().orElseThrow();
    if (call.succeeds(answer.status())) {
      return JobOutcome.done(answer);
    }
    String reason = "answered " + answer.status() + beginning(answer.body());
    if (!call.retries().onStatus(answer.status())) {
      return JobOutcome.fail(reason);
    }
    Optional<Duration> wait = answer.retryAfter().flatMap(this::retryAfter);
    if (wait.isPresent()) {
      return JobOutcome.retryAfter(wait.get(), reason);
    }
    throw new CallFailedException(How.BROKEN, reason);
  }

  private static String beginning(String body) {
    String line = body.strip();
    return line.isEmpty()
        ? ""
        : ": " + (line.length() <= 500 ? line : line.substring(0, 500) + "…");
  }

  /** Reads seconds or a date; what is neither is as if it were not there. */
  private Optional<Duration> retryAfter(String text) {
    try {
      Duration wait =
          text.strip().matches("[0-9]{1,9}")
              ? Duration.ofSeconds(Long.parseLong(text.strip()))
              : Duration.between(
                  time.now(),
                  Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text.strip())));
      if (wait.isNegative()) {
        wait = Duration.ZERO;
      }
      return Optional.of(wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
