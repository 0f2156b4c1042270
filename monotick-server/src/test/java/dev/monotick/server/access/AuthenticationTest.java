package dev.monotick.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;

/** Who is let in, and how often somebody may try. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class AuthenticationTest {

  private static final String ISSUER = "https://issuer.example";

  private final Installation installation = Installation.create();
  private RSAKey key = key();
  private HttpServer issuer = issuer(key);

  private static RSAKey key() {
    try {
      return new RSAKeyGenerator(2048).keyID("k1").generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static HttpServer issuer(RSAKey key) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
      byte[] keys = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
      server.createContext(
          "/keys",
          exchange -> {
            try (exchange) {
              exchange.getResponseHeaders().add("Content-Type", "application/json");
              exchange.sendResponseHeaders(200, keys.length);
              exchange.getResponseBody().write(keys);
            }
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeAll
  void start() {
    installation
        .with("monotick.authentication.failures", "3")
        .with("monotick.audit.engine-interval", "100ms")
        .with("monotick.oidc.issuer", ISSUER)
        .with(
            "monotick.oidc.jwk-set-uri",
            "http://127.0.0.1:" + issuer.getAddress().getPort() + "/keys")
        .with("monotick.oidc.audience", "our-cluster")
        .with("monotick.oidc.tenant-claim", "org")
        .with("monotick.oidc.role-claim", "access");
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    issuer.stop(0);
  }

  private String token(UnaryOperator<JWTClaimsSet.Builder> change) {
    return token(key, change);
  }

  private static String token(RSAKey by, UnaryOperator<JWTClaimsSet.Builder> change) {
    Instant now = Instant.now();
    JWTClaimsSet claims =
        change
            .apply(
                new JWTClaimsSet.Builder()
                    .issuer(ISSUER)
                    .audience("our-cluster")
                    .subject("u-1")
                    .claim("preferred_username", "ada")
                    .claim("org", "default")
                    .claim("access", "viewer")
                    .expirationTime(Date.from(now.plusSeconds(300))))
            .build();
    try {
      SignedJWT token =
          new SignedJWT(
              new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(by.getKeyID()).build(), claims);
      token.sign(new RSASSASigner(by));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private Api as(@Nullable String credential) {
    return installation.api().as(credential);
  }

  @Test
  @Order(1)
  void aTokenOfTheIssuerIsAsGoodAsAKey() {
    Api viewer = as(token(claims -> claims));
    assertThat(viewer.get("/v1/audit").status()).isEqualTo(200);
    assertThat(viewer.post("/v1/audit/verify").status()).isEqualTo(403);
    assertThat(viewer.with("Monotick-Tenant", "other").get("/v1/audit").status()).isEqualTo(403);
    assertThat(viewer.get("/v1/configuration").status()).isEqualTo(403);
    assertThat(
            as(token(claims -> claims.claim("org", "*").claim("access", "ADMIN")))
                .get("/v1/configuration")
                .status())
        .isEqualTo(200);
    assertThat(
            as(token(claims -> claims.claim("access", "operator")))
                .post("/v1/audit/verify")
                .status())
        .isEqualTo(200);
  }

  @Test
  @Order(2)
  void aTokenThatSaysTooLittleGivesNoRights() {
    assertThat(as(token(claims -> claims.claim("org", null))).get("/v1/audit").status())
        .isEqualTo(403);
    assertThat(as(token(claims -> claims.claim("access", "king"))).get("/v1/audit").status())
        .isEqualTo(403);
    assertThat(as(token(claims -> claims.claim("access", null))).get("/v1/audit").status())
        .isEqualTo(403);
  }

  @Test
  @Order(3)
  void whoGuessesWaitsLongerAndLonger() throws JOSEException {
    String unproven =
        installation
            .bean(0, ApiKeys.class)
            .make(Optional.of("default"), Role.VIEWER, "late", "test", null)
            .secret();
    assertThat(installation.api().get("/v1/audit").status()).isEqualTo(200);
    Instant past = Instant.now().minusSeconds(3600);
    RSAKey forged = new RSAKeyGenerator(2048).keyID("k1").generate();
    List<String> wrong =
        List.of(
            token(claims -> claims.expirationTime(Date.from(past))),
            token(forged, claims -> claims),
            token(claims -> claims.audience("monotick")));
    for (String each : wrong) {
      assertThat(as(each).get("/v1/audit").status()).isEqualTo(401);
    }

    Api.Answer fourth = as("mt_test_wrongwrongwrongwrongwrong").get("/v1/audit");
    assertThat(fourth.status()).isEqualTo(429);
    assertThat(fourth.text("type")).isEqualTo("urn:monotick:problem:authentication-throttled");
    assertThat(fourth.header("Retry-After")).isEqualTo("1");
    assertThat(as("mt_test_againagainagainagain").get("/v1/audit").status()).isEqualTo(429);
    assertThat(as(unproven).get("/v1/audit").status()).as("right, but not proven").isEqualTo(429);
    assertThat(installation.api().get("/v1/audit").status()).as("proven before").isEqualTo(200);

    Api.Answer elsewhere = installation.api(1).as("mt_test_wrongwrongwrongwrong").get("/v1/audit");
    assertThat(elsewhere.status()).as("another replica counts on").isEqualTo(429);
    assertThat(elsewhere.header("Retry-After")).isEqualTo("2");
    assertThat(as(null).get("/v1/audit").status()).as("nothing was tried").isEqualTo(401);

    Eventually.until(
        "it is on record, but not each",
        () ->
            installation
                    .api()
                    .get("/v1/audit?scope=installation&action=authentication_failed")
                    .body()
                    .path("items")
                    .size()
                == 3);
    Eventually.until("the wait is over", () -> as(unproven).get("/v1/audit").status() == 200);
  }

  @Test
  @Order(4)
  void otherSchemesAreNotForUs() {
    Api basic = as(null).with("Authorization", "Basic dXNlcjpwYXNz");
    assertThat(basic.get("/v1/audit").status()).isEqualTo(401);
    assertThat(basic.get("/v1/audit").header("WWW-Authenticate")).isEqualTo("Bearer");
  }
}
