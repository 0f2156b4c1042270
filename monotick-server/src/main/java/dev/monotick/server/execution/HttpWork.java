package dev.monotick.server.execution;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.problem.Bodies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs {@code http} jobs. */
@Component
class HttpWork implements WorkType {

  private static final JobKind<HttpCall> KIND =
      JobKind.named("http", HttpCall.class).timeout(Duration.ofSeconds(30));

  private final JsonMapper json;
  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(5))
          .followRedirects(HttpClient.Redirect.NEVER)
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  HttpWork(JsonMapper json) {
    this.json = json;
  }

  @Override
  public String kind() {
    return KIND.name();
  }

  @Override
  public JobRequest<?> request(JsonNode payload) {
    return KIND.of(Bodies.read(json, "payload", payload, HttpCall.class));
  }

  @Bean
  JobHandling<HttpCall> httpHandling() {
    return new JobHandling<>(KIND, this::run);
  }

  private JobOutcome run(JobContext<HttpCall> job) throws IOException, InterruptedException {
    HttpCall call = job.payload();
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(call.url()));
    call.headers().forEach(request::setHeader);
    request
        .setHeader("Idempotency-Key", job.idempotencyKey())
        .setHeader("Monotick-Job", job.id().toString())
        .setHeader("Monotick-Attempt", String.valueOf(job.attempt()))
        .setHeader("Monotick-Fence", String.valueOf(job.run()))
        .method(
            call.method(),
            call.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofString(call.body()));
    String nominal = job.headers().get("nominal");
    if (nominal != null) {
      request.setHeader("Monotick-Nominal-Time", nominal);
    }
    HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
    if (call.succeeds(answer.statusCode())) {
      return JobOutcome.done(new HttpAnswer(answer.statusCode(), answer.body()));
    }
    if (answer.statusCode() >= 400
        && answer.statusCode() < 500
        && answer.statusCode() != 408
        && answer.statusCode() != 429) {
      return JobOutcome.fail("answered " + answer.statusCode());
    }
    throw new IOException("answered " + answer.statusCode());
  }

  /**
   * What came out of a call.
   *
   * @param status the answer's status
   * @param body its body
   */
  record HttpAnswer(int status, String body) {}
}
