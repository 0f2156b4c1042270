package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.Archive;
import dev.monotick.postgres.embedded.binaries.BinariesManifest;
import dev.monotick.postgres.embedded.binaries.FileTrees;
import dev.monotick.postgres.embedded.binaries.ServerBinaries;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of unpacked servers, one for each version, shared by all servers of a user. A server is
 * unpacked beside its place and moved there as a whole, so that nobody sees a part of it.
 */
final class BinariesCache {

  private static final Logger LOG = LoggerFactory.getLogger(BinariesCache.class);
  private static final Set<PosixFilePermission> EVERYBODY_READS =
      PosixFilePermissions.fromString("rwxr-xr-x");
  private static final String UNFINISHED = "unpacking-";

  /** File locks are held by the process as a whole, so its threads need a lock of their own. */
  private static final Object THREADS = new Object();

  private final List<Path> places;

  /**
   * @param places where servers may be kept; the first that can be used is
   */
  BinariesCache(List<Path> places) {
    this.places = List.copyOf(places);
  }

  /**
   * Returns the usual places: that of the machine if this is root, as root's home is closed to the
   * user that the server is run as; else that of the user; at last the server's own folder, which
   * serves where there is no home, or nothing can be written to it.
   */
  static List<Path> usualPlaces(boolean root, Map<String, String> environment, Path ownFolder) {
    List<Path> places = new ArrayList<>();
    String home = System.getProperty("user.home", "");
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    boolean mac = System.getProperty("os.name", "").startsWith("Mac");
    if (root) {
      places.add(Path.of(mac ? "/Library/Caches" : "/var/cache"));
    } else if (xdg.startsWith("/")) {
      places.add(Path.of(xdg));
    } else if (home.startsWith("/") && Files.isDirectory(Path.of(home))) {
      places.add(Path.of(home, mac ? "Library/Caches" : ".cache"));
    }
    places.replaceAll(place -> place.resolve("monotick").resolve("postgres"));
    places.add(ownFolder);
    return places;
  }

  /** Returns the server, unpacked now if that has not been done before. */
  ServerBinaries binaries(BinariesSource source) throws IOException {
    Path cache = usable();
    Path target = cache.resolve(source.version() + "-" + source.checksum());
    if (!BinariesManifest.areComplete(target)) {
      synchronized (THREADS) {
        try (FileChannel channel =
                FileChannel.open(
                    cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock processes = channel.lock()) {
          if (processes.isValid() && !BinariesManifest.areComplete(target)) {
            unpack(source, cache, target);
          }
        }
      }
    }
    return new ServerBinaries(target);
  }

  private static void unpack(BinariesSource source, Path cache, Path target) throws IOException {
    LOG.info("unpacking PostgreSQL version={} folder={}", source.version(), target);
    FileTrees.deleteLeftovers(cache, UNFINISHED); // of processes that were killed meanwhile
    FileTrees.delete(target);
    Path unfinished = Files.createTempDirectory(cache, UNFINISHED);
    try {
      try (InputStream archive = source.url().openStream()) {
        Archive.unpack(archive, unfinished);
      }
      BinariesManifest.record(unfinished);
      // Open to all: as root, the server is run as another user.
      Files.setPosixFilePermissions(unfinished, EVERYBODY_READS);
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      FileTrees.delete(unfinished);
      if (e instanceof ClosedByInterruptException) {
        throw e;
      }
      throw new EmbeddedPostgresException(
          "could not unpack PostgreSQL "
              + source.version()
              + " into "
              + cache
              + " ("
              + e.getMessage()
              + "); it needs about 100 MB there",
          e);
    }
  }

  private Path usable() throws IOException {
    List<String> refused = new ArrayList<>();
    for (Path place : places) {
      try {
        create(place);
        if (!ServerFolder.isQuotable(place)) {
          refused.add(place + " has a character that PostgreSQL's programs cannot deal with");
        } else if (!Files.isWritable(place)) {
          refused.add(place + " cannot be written to");
        } else if (isOpenToOthers(place)) {
          refused.add(place + " can be written to by other users");
        } else {
          return place;
        }
      } catch (IOException e) {
        refused.add(place + " cannot be created");
      }
    }
    throw new EmbeddedPostgresException(
        "no folder to unpack PostgreSQL in: " + String.join("; ", refused));
  }

  /** Neither closed to the server's user nor open for changes, whatever this process's umask is. */
  private static void create(Path place) throws IOException {
    if (!Files.isDirectory(place)) {
      create(place.resolveSibling(".").normalize());
      Files.createDirectories(place);
      Files.setPosixFilePermissions(place, EVERYBODY_READS);
    }
  }

  /** Programs that others may replace are not run. */
  private static boolean isOpenToOthers(Path place) throws IOException {
    Set<PosixFilePermission> permissions =
        Files.getPosixFilePermissions(place, LinkOption.NOFOLLOW_LINKS);
    return permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE);
  }
}
