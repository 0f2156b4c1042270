package dev.monotick.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Who is believed to call through a proxy. The tests call from 127.0.0.1. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ForwardedTest {

  private static final int NO_PROXY = 0;
  private static final int ANY_PRIVATE = 1;
  private static final int ANOTHER = 2;
  private static final int LOOPBACK = 3;

  private final Installation installation =
      Installation.create()
          .with("monotick.authentication.failures", "2")
          .with("monotick.audit.engine-interval", "100ms");

  @BeforeAll
  void start() {
    installation.start();
    installation.with("monotick.server.forwarded-headers", "true").start();
    installation.with("monotick.server.trusted-proxies", "192.0.2.10, 10.0.0.0/8").start();
    installation.with("monotick.server.trusted-proxies", "127.0.0.1").start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private Api stranger(int replica, String forwardedFor) {
    return installation
        .api(replica)
        .as("mt_wrong_0123456789012345678901")
        .with("X-Forwarded-For", forwardedFor);
  }

  private long failures(String address) {
    return installation
        .bean(0, Sql.class)
        .of("select coalesce(sum(failures), 0) from @failed_login where address = :address")
        .param("address", address)
        .query(Long.class)
        .single();
  }

  @Test
  void clientsOfATrustedProxyAreToldApart() {
    for (int i = 0; i < 2; i++) {
      assertThat(stranger(ANY_PRIVATE, "203.0.113.7").get("/v1/audit").status()).isEqualTo(401);
    }
    assertThat(stranger(ANY_PRIVATE, "203.0.113.7").get("/v1/audit").status()).isEqualTo(429);
    assertThat(stranger(ANY_PRIVATE, "203.0.113.8").get("/v1/audit").status()).isEqualTo(401);

    assertThat(failures("203.0.113.7")).isEqualTo(3);
    Eventually.until(
        "the audit has the client's address",
        () ->
            installation
                .api()
                .get("/v1/audit?scope=installation&action=authentication_failed")
                .raw()
                .body()
                .contains("203.0.113.7"));
  }

  @Test
  void whatAClientSaysOfItselfIsNotBelieved() {
    // It says 198.51.100.1; the outer proxy saw 203.0.113.20, the inner one saw the outer one.
    stranger(ANY_PRIVATE, "198.51.100.1, 203.0.113.20, 10.1.1.1").get("/v1/audit");
    stranger(ANY_PRIVATE, "198.51.100.2, 203.0.113.20:4711").get("/v1/audit");
    stranger(ANY_PRIVATE, "unknown, [2001:db8:1:2:3::4]:80").get("/v1/audit");
    // A proxy that is not on the list is a client like any other.
    stranger(LOOPBACK, "198.51.100.3, 10.9.9.9").get("/v1/audit");

    assertThat(failures("203.0.113.20")).isEqualTo(2);
    assertThat(failures("2001:db8:1:2::/64")).isEqualTo(1);
    assertThat(failures("10.9.9.9")).isEqualTo(1);
    for (String each : List.of("198.51.100.1", "198.51.100.2", "198.51.100.3")) {
      assertThat(failures(each)).as(each).isZero();
    }
  }

  @Test
  void aHeaderOfOneWhoIsNotTrustedIsIgnored() {
    for (int replica : List.of(NO_PROXY, ANOTHER)) {
      Eventually.until(
          "whoever changes his address is stopped all the same",
          () -> {
            for (int i = 0; i < 3; i++) {
              if (stranger(replica, "192.0.2." + i).get("/v1/audit").status() == 429) {
                return true;
              }
            }
            return false;
          });
    }

    for (int i = 0; i < 3; i++) {
      assertThat(failures("192.0.2." + i)).isZero();
    }
    assertThat(failures("127.0.0.1")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void aTrustedProxySaysWhetherTheClientCameByTls() {
    String header = "Strict-Transport-Security";
    for (int replica : List.of(ANY_PRIVATE, LOOPBACK)) {
      assertThat(secure(replica, "https").header(header)).isNotEmpty();
      assertThat(secure(replica, "http").header(header)).isEmpty();
    }
    for (int replica : List.of(NO_PROXY, ANOTHER)) {
      assertThat(secure(replica, "https").header(header)).isEmpty();
    }
  }

  private Api.Answer secure(int replica, String scheme) {
    return installation.api(replica).with("X-Forwarded-Proto", scheme).get("/health");
  }

  @Test
  void aProxyThatIsNoAddressIsRefusedAtTheStart() {
    Installation other =
        installation.sibling().with("monotick.server.trusted-proxies", "proxy.example");
    assertThatThrownBy(other::start)
        .rootCause()
        .hasMessageContaining("must be an address, but was \"proxy.example\"");
  }
}
