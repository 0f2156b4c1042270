package dev.monotick.server.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.monotick.server.execution.CallFailedException.How;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.trace.Tracing;
import dev.monotick.server.web.Cidr;
import dev.monotick.spi.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls to services that one cannot trust, over real sockets. */
class HttpCallerTest {

  private final TimeSource time = TimeSource.system();
  private final Target target = new Target();
  private final CallTimeouts watch = new CallTimeouts(time);
  private final Map<String, String> settings = new HashMap<>();
  private final List<String> lookups = new CopyOnWriteArrayList<>();
  private final Map<String, List<String>> names = new HashMap<>();

  @AfterEach
  void stop() {
    target.close();
    watch.destroy();
  }

  /** Answers the first lookup of a name with the first address, the second with the second. */
  private InetAddress[] lookUp(String host) {
    long asked = lookups.stream().filter(host::equals).count();
    lookups.add(host);
    List<String> answers = names.getOrDefault(host, List.of("127.0.0.1"));
    return new InetAddress[] {Cidr.literal(answers.get((int) Math.min(asked, answers.size() - 1)))};
  }

  private HttpResponseData call(String url) throws CallFailedException {
    return call(url, Duration.ofSeconds(5));
  }

  /** 127.0.0.1 stands for the public internet, all other addresses of this machine are private. */
  private HttpResponseData call(String url, Duration longest) throws CallFailedException {
    HttpCaller caller =
        new HttpCaller(
            new AddressGuard(this::lookUp, false, "127.0.0.1"),
            watch,
            ServerSettings.read(name -> settings.getOrDefault(name, "")),
            Tracing.OFF);
    try {
      return caller.call(
          new OutgoingCall(
              "POST",
              URI.create(url),
              "body".getBytes(StandardCharsets.UTF_8),
              (method, to, body, home) -> home ? Map.of("Secret", "s") : Map.of(),
              time.nanos() + longest.toNanos(),
              () -> false));
    } finally {
      caller.destroy();
    }
  }

  private CallFailedException failure(String url, Duration longest) {
    CallFailedException failure =
        catchThrowableOfType(CallFailedException.class, () -> call(url, longest));
    assertThat(failure).as(url).isNotNull();
    return failure;
  }

  private CallFailedException failure(String url) {
    return failure(url, Duration.ofSeconds(5));
  }

  @Test
  void theAddressThatWasCheckedIsTheOneThatIsCalled() throws CallFailedException {
    names.put("rebinds.example", List.of("127.0.0.1", "127.0.0.2"));

    HttpResponseData answer = call("http://rebinds.example:" + target.port() + "/x");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(lookups).containsExactly("rebinds.example");
    assertThat(target.heard("/x")).hasSize(1);
  }

  @Test
  void aNameThatLeadsToAPrivateAddressIsRefused() {
    names.put("inside.example", List.of("127.0.0.2"));

    assertThat(failure("http://inside.example:" + target.port() + "/x").how())
        .isEqualTo(How.REFUSED);
    assertThat(target.heard("/x")).isEmpty();
  }

  @Test
  void redirectsAreCheckedAgain() {
    names.put("inside.example", List.of("127.0.0.2"));
    target.on("/name", Target.redirect(302, "http://inside.example:" + target.port() + "/x"));
    target.on("/literal", Target.redirect(307, "http://127.0.0.2:" + target.port() + "/x"));
    target.on("/odd", Target.redirect(307, "http://2130706433:" + target.port() + "/x"));
    target.on("/scheme", Target.redirect(307, "file:///etc/passwd"));

    for (String each : List.of("/name", "/literal", "/odd", "/scheme")) {
      assertThat(failure(target.url(each)).how()).as(each).isEqualTo(How.REFUSED);
    }
    assertThat(target.heard("/x")).isEmpty();
  }

  @Test
  void redirectsAreFollowedSoFarAndHearNoSecretsElsewhere() throws CallFailedException {
    target.on("/a", Target.redirect(307, "/b"));
    target.on("/b", Target.redirect(303, "http://other.example:" + target.port() + "/c"));
    target.on("/loop", Target.redirect(307, "/loop"));

    assertThat(call(target.url("/a")).status()).isEqualTo(200);
    assertThat(target.heard("/b")).singleElement().satisfies(this::isPostWithSecret);
    assertThat(target.heard("/c"))
        .singleElement()
        .satisfies(
            heard -> {
              assertThat(heard.method()).isEqualTo("GET");
              assertThat(heard.header("Secret")).isEmpty();
              assertThat(heard.body()).isEmpty();
            });
    assertThat(failure(target.url("/loop"))).hasMessageContaining("more than 3 times");
    assertThat(target.heard("/loop")).hasSize(4);

    settings.put("monotick.http.redirects", "0");
    assertThat(failure(target.url("/a"))).hasMessageContaining("not followed");
  }

  private void isPostWithSecret(Target.Heard heard) {
    assertThat(heard.method()).isEqualTo("POST");
    assertThat(heard.header("Secret")).isEqualTo("s");
    assertThat(heard.body()).isEqualTo("body");
  }

  @Test
  void aLongAnswerIsCut() throws CallFailedException {
    settings.put("monotick.http.response-limit", "1000");
    target.on("/exact", Target.text(200, "x".repeat(1000)));
    target.on("/long", Target.text(200, "x".repeat(5_000_000)));

    assertThat(call(target.url("/exact")).truncated()).isFalse();
    HttpResponseData cut = call(target.url("/long"));
    assertThat(cut.truncated()).isTrue();
    assertThat(cut.body()).hasSize(1000);
  }

  @Test
  void aCallEndsInTimeHoweverBytesDrip() {
    target.on("/drip", Target.drip());

    long begun = System.nanoTime();
    CallFailedException failure = failure(target.url("/drip"), Duration.ofMillis(400));

    assertThat(failure.how()).isEqualTo(How.BROKEN);
    assertThat(failure).hasMessageContaining("may have been received");
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
  }

  @Test
  void aCallEndsInTimeHoweverHeadersDrip() throws IOException {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (ServerSocket slow = new ServerSocket(0, 5, Cidr.literal("127.0.0.1"))) {
      thread.execute(() -> dripHeaders(slow));

      CallFailedException failure =
          failure("http://127.0.0.1:" + slow.getLocalPort() + "/", Duration.ofMillis(400));

      assertThat(failure.how()).isEqualTo(How.BROKEN);
    } finally {
      thread.shutdownNow();
    }
  }

  private static void dripHeaders(ServerSocket slow) {
    try (Socket socket = slow.accept()) {
      socket.getOutputStream().write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
      while (!Thread.currentThread().isInterrupted()) {
        socket.getOutputStream().write('X');
        socket.getOutputStream().flush();
        LockSupport.parkNanos(20_000_000);
      }
    } catch (IOException e) {
      // the caller has gone, as it should
    }
  }

  @Test
  void whatNobodyHeardIsToldApartFromWhatMayHaveBeenHeard() throws IOException {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 5, Cidr.literal("127.0.0.1"))) {
      closed = socket.getLocalPort();
    }
    assertThat(failure("http://127.0.0.1:" + closed + "/").how()).isEqualTo(How.CONNECT);

    target.on("/hangup", (exchange, heard) -> {});
    assertThat(failure(target.url("/hangup")).how()).isEqualTo(How.BROKEN);
  }

  @Test
  void connectionsAreWaitedForOnlySoLong() {
    settings.put("monotick.http.connect-timeout", "100ms");
    names.put("nowhere.example", List.of("127.0.0.1"));

    long begun = System.nanoTime();
    try (ServerSocket full = new ServerSocket(0, 1, Cidr.literal("127.0.0.1"))) {
      // The kernel drops what does not fit its queue: these are never accepted.
      try (Socket one = new Socket(full.getInetAddress(), full.getLocalPort());
          Socket two = new Socket(full.getInetAddress(), full.getLocalPort())) {
        assertThat(one.isConnected() && two.isConnected()).isTrue();
        CallFailedException failure = failure("http://127.0.0.1:" + full.getLocalPort() + "/");
        assertThat(failure.how()).isEqualTo(How.CONNECT);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
  }
}
