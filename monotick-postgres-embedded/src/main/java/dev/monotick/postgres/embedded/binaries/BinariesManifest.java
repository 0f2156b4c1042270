package dev.monotick.postgres.embedded.binaries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * What an unpacked server consists of, written down beside it. A loss of power, or somebody who
 * tidies up old files, may leave a part of it only; a server must not be started from that.
 *
 * <p>Of all files the size is checked, of the programs the contents too. To read all contents would
 * take longer than the start of a server.
 */
public final class BinariesManifest {

  private static final String LIST = "contents";

  private BinariesManifest() {}

  public static void record(Path folder) throws IOException {
    Files.write(folder.resolve(LIST), describe(folder));
  }

  public static boolean areComplete(Path folder) throws IOException {
    Path list = folder.resolve(LIST);
    return Files.isRegularFile(list)
        && describe(folder).equals(Set.copyOf(Files.readAllLines(list)));
  }

  private static Set<String> describe(Path folder) throws IOException {
    Set<String> files = new TreeSet<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = folder.relativize(file).toString();
        if (name.startsWith("bin/")) {
          CRC32 checksum = new CRC32();
          checksum.update(Files.readAllBytes(file));
          files.add(String.format("%s %d %08x", name, Files.size(file), checksum.getValue()));
        } else if (!name.equals(LIST)) {
          files.add(name + " " + Files.size(file));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause(); // a stream cannot say it otherwise
    }
    return files;
  }
}
