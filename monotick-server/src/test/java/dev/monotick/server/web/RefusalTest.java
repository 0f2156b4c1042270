package dev.monotick.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Whatever is wrong with a request, the answer is a problem document and nothing else. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class RefusalTest {

  private final Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation.with("monotick.server.body-limit", "2048").start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private static void assertProblem(Api.Answer answer, int status, String slug) {
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
    assertThat(answer.text("type")).isEqualTo("urn:monotick:problem:" + slug);
    assertThat(answer.body().path("status").asInt()).isEqualTo(status);
    assertThat(answer.text("detail")).isNotEmpty();
  }

  @Test
  void everyStatusIsAProblem() {
    Api api = installation.api();
    assertProblem(api.as(null).get("/v1/audit"), 401, "unauthenticated");
    assertProblem(api.as(null).get("/no/such/thing"), 401, "unauthenticated");
    assertProblem(api.get("/no/such/thing"), 404, "not-found");
    assertProblem(api.get("/v1/no-such-thing"), 404, "not-found");
    assertProblem(api.get("/error"), 404, "not-found");
    assertProblem(api.call("DELETE", "/v1/audit", null), 405, "method-not-allowed");
    assertProblem(api.with("Accept", "image/png").get("/v1/audit"), 406, "not-acceptable");
    assertProblem(api.post("/v1/jobs", "{\"kind\":"), 400, "invalid");
    assertProblem(api.get("/v1/audit?limit=many"), 400, "invalid");
    assertProblem(api.get("/v1/audit?limit=-1"), 400, "invalid");
  }

  @Test
  void otherTypesThanJsonAreRefused() throws Exception {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(uri("/v1/jobs"))
                .header("Content-Type", "text/xml")
                .POST(HttpRequest.BodyPublishers.ofString("<job/>")));
    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.body()).contains("urn:monotick:problem:unsupported-media-type");
  }

  @Test
  void bodiesThatAreTooLargeAreRefused() throws Exception {
    String large = "{\"kind\":\"" + "x".repeat(4_000) + "\"}";
    assertProblem(installation.api().post("/v1/jobs", large), 413, "too-large");
    HttpResponse<String> chunked =
        send(
            HttpRequest.newBuilder(uri("/v1/jobs"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)))));
    assertThat(chunked.statusCode()).isEqualTo(413);
    assertThat(chunked.body()).contains("urn:monotick:problem:too-large");
    assertThat(installation.api().post("/v1/jobs", "{\"kind\":\"x\"}").status()).isEqualTo(400);
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + installation.port(0) + path);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            request.header("Authorization", "Bearer " + Installation.ADMIN_KEY).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void whatIsNoHttpIsRefusedWithoutAPageOfTheServers() throws IOException {
    for (String request :
        List.of(
            "GARBAGE\r\n\r\n",
            "GET /v1/audit HTTP/1.1\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v1/jobs/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v1/jobs/%2e%2e%2fx HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET //v1//audit HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v1/audit;x=1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v1/<script> HTTP/1.1\r\nHost: x\r\n\r\n",
            "TRACE /v1/audit HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v1/audit HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(20_000) + "\r\n\r\n")) {
      String answer = raw(request);
      assertThat(answer).as(request).matches("(?s)HTTP/1.1 4\\d\\d.*");
      assertThat(answer.toLowerCase(java.util.Locale.ROOT))
          .as(request)
          .doesNotContain("<html", "tomcat", "apache", "exception", "script>");
    }
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), installation.port(0))) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void answersForbidWhatBrowsersShouldNotDo() {
    for (Api.Answer answer :
        List.of(
            installation.api().get("/v1/audit"), installation.api().as(null).get("/v1/audit"))) {
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(answer.header("Content-Security-Policy"))
          .isEqualTo("default-src 'self'; frame-ancestors 'none'");
      assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
      assertThat(answer.header("Cache-Control")).contains("no-store");
      assertThat(answer.header("Server")).isEmpty();
      assertThat(answer.header("Set-Cookie")).isEmpty();
    }
  }
}
