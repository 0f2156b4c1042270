package dev.monotick.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What changes, told to those who listen. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class EventTest {

  private final Installation installation = Installation.create();

  @BeforeAll
  void start() {
    installation
        .with("monotick.events.interval", "50ms")
        .with("monotick.events.heartbeat", "1s")
        .with("monotick.events.clients", "5")
        .with("server.tomcat.connection-timeout", "1s");
    installation.start();
    installation.start();
    for (int i = 1; i <= 5; i++) {
      installation
          .bean(0, Sql.class)
          .of("insert into @tenant (name) values (:name)")
          .param("name", "e" + i)
          .update();
    }
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  /** Somebody who listens; stops when it is closed. */
  private static final class Listener implements AutoCloseable {

    private final List<Long> ids = new CopyOnWriteArrayList<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final CompletableFuture<HttpResponse<Stream<String>>> answer;
    private final Thread thread;

    Listener(int port, String tenant, long after) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/events"))
              .header("Authorization", "Bearer " + Installation.ADMIN_KEY)
              .header("Monotick-Tenant", tenant);
      if (after >= 0) {
        request.header("Last-Event-ID", String.valueOf(after));
      }
      answer =
          HttpClient.newHttpClient()
              .sendAsync(request.build(), HttpResponse.BodyHandlers.ofLines());
      thread =
          new Thread(
              () -> {
                try (Stream<String> body = answer.join().body()) {
                  body.forEach(
                      line -> {
                        lines.add(line);
                        if (line.startsWith("id:")) {
                          ids.add(Long.valueOf(line.substring(3).strip()));
                        }
                      });
                } catch (RuntimeException e) {
                  lines.add("ended: " + e);
                }
              });
      thread.setDaemon(true);
      thread.start();
      Eventually.until("it listens", () -> !lines.isEmpty());
      assertThat(lines.get(0)).startsWith(":");
    }

    @Override
    public void close() {
      thread.interrupt();
      answer.join().body().close();
    }
  }

  private void append(int replica, String tenant, int count, String detail) {
    List<AuditEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(AuditEntry.bySystem(tenant, "tested", "thing/" + i, Map.of("d", detail)));
    }
    installation.bean(replica, AuditTrail.class).append(entries);
  }

  private static List<Long> range(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @Test
  void whatChangesOnOneReplicaIsToldOnAnother() {
    try (Listener one = new Listener(installation.port(0), "e1", 0);
        Listener two = new Listener(installation.port(1), "e1", 0);
        Listener other = new Listener(installation.port(1), "e2", -1)) {
      append(0, "e1", 3, "a");
      append(1, "e1", 3, "b");
      Eventually.until("one heard", () -> one.ids.size() == 6);
      Eventually.until("two heard", () -> two.ids.size() == 6);
      assertThat(one.ids).isEqualTo(range(1, 6));
      assertThat(two.ids).isEqualTo(range(1, 6));
      assertThat(one.lines).contains("event:tested");
      assertThat(one.lines)
          .anySatisfy(line -> assertThat(line).startsWith("data:{\"seq\":1,").contains("thing/0"));
      assertThat(other.ids).as("another tenant's").isEmpty();
      Eventually.until(
          "a heartbeat",
          () -> other.lines.stream().filter(line -> line.startsWith(":")).count() > 1);
    }
  }

  @Test
  void nobodyListensLongerThanTheLongest() {
    try (Installation other =
        installation
            .sibling()
            .with("monotick.replica.name", "other")
            .with("monotick.events.interval", "50ms")
            .with("monotick.events.longest", "1s")) {
      other.start();
      long last;
      try (Listener first = new Listener(other.port(0), "e2", 0)) {
        append(0, "e2", 1, "before");
        Eventually.until("it is told to connect anew", () -> !first.thread.isAlive());
        assertThat(first.ids).isNotEmpty();
        assertThat(first.lines).noneSatisfy(line -> assertThat(line).startsWith("ended: "));
        last = first.ids.get(first.ids.size() - 1);
      }
      append(0, "e2", 1, "between");
      try (Listener second = new Listener(other.port(0), "e2", last)) {
        Eventually.until("it goes on where it was", () -> second.ids.contains(last + 1));
      }
    }
  }

  @Test
  void whoComesBackMissesNothingAndHearsNothingTwice() {
    append(0, "e3", 700, "x");
    List<Long> heard = new ArrayList<>();
    try (Listener first = new Listener(installation.port(0), "e3", 0)) {
      append(0, "e3", 700, "y");
      Eventually.until("all of it", () -> first.ids.size() == 1_400);
      heard.addAll(first.ids.subList(0, 900));
    }
    append(1, "e3", 50, "z");
    try (Listener again = new Listener(installation.port(1), "e3", 900)) {
      Eventually.until("the rest", () -> again.ids.size() == 550);
      heard.addAll(again.ids);
    }
    assertThat(heard).isEqualTo(range(1, 1_450));
  }

  @Test
  void whatIsWrongIsRefused() {
    Api api = installation.api();
    assertThat(api.with("Last-Event-ID", "x").get("/v1/events").text("field"))
        .isEqualTo("Last-Event-ID");
    assertThat(api.get("/v1/events?after=-1").status()).isEqualTo(400);
    Eventually.until("all left", () -> installation.bean(0, EventHub.class).size() == 0);
    List<Listener> listeners = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      listeners.add(new Listener(installation.port(0), "e4", -1));
    }
    assertThat(installation.bean(0, EventHub.class).size()).isEqualTo(5);
    assertThat(api.get("/v1/events").status()).isEqualTo(429);
    listeners.forEach(Listener::close);
    append(0, "e4", 1, "");
    Eventually.until(
        "those who left are forgotten", () -> installation.bean(0, EventHub.class).size() == 0);
  }

  @Test
  void whoTakesNothingIsDropped() throws IOException {
    Eventually.until("all left", () -> installation.bean(1, EventHub.class).size() == 0);
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(1_024);
      socket.connect(
          new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), installation.port(1)));
      socket
          .getOutputStream()
          .write(
              ("GET /v1/events HTTP/1.1\r\nHost: x\r\nMonotick-Tenant: e5\r\nAuthorization: Bearer "
                      + Installation.ADMIN_KEY
                      + "\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      Eventually.until("he listens", () -> installation.bean(1, EventHub.class).size() == 1);
      for (int i = 0; i < 8; i++) {
        append(0, "e5", 500, "x".repeat(4_000));
      }
      try (Listener good = new Listener(installation.port(1), "e5", 0)) {
        Eventually.until("others hear all of it", () -> good.ids.size() == 4_000);
        Eventually.until("he is dropped", () -> installation.bean(1, EventHub.class).size() == 1);
      }
    }
  }
}
