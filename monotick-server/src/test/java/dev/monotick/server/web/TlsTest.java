package dev.monotick.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.support.Installation;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API over TLS, by two settings. */
@Tag("thorough")
class TlsTest {

  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  @Test
  void aCertificateAndItsKeyAreAllItTakes() throws Exception {
    KeyStore store = selfSigned();
    Certificate certificate = store.getCertificate("server");
    Path certificateFile =
        Files.writeString(folder.resolve("cert.pem"), pem("CERTIFICATE", certificate.getEncoded()));
    Path keyFile =
        Files.writeString(
            folder.resolve("key.pem"),
            pem("PRIVATE KEY", store.getKey("server", PASSWORD).getEncoded()));
    try (Installation installation =
        Installation.create()
            .with("monotick.tls.certificate", certificateFile.toString())
            .with("monotick.tls.key", keyFile.toString())) {
      installation.start();
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create("https://127.0.0.1:" + installation.port(0) + "/v1/audit"))
              .header("Authorization", "Bearer " + Installation.ADMIN_KEY)
              .build();

      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .sslContext(trusting(certificate))
              .build()
              .send(request, HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
      assertThat(installation.api().get("/v1/audit").status()).as("without TLS").isEqualTo(400);
    }
  }

  @Test
  void aFileThatIsNotThereIsRefusedAtTheStart() {
    try (Installation installation =
        Installation.create().with("monotick.tls.certificate", "/no/such/file.pem")) {
      assertThatThrownBy(installation::start).hasMessageContaining("MONOTICK_TLS_CERTIFICATE");
    }
  }

  private KeyStore selfSigned() throws Exception {
    Path file = folder.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  private static String pem(String type, byte[] content) {
    return "-----BEGIN "
        + type
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END "
        + type
        + "-----\n";
  }

  private static SSLContext trusting(Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", certificate);
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }
}
