package dev.monotick.postgres.embedded.binaries;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Folders as a whole. */
public final class FileTrees {

  private static final Logger LOG = LoggerFactory.getLogger(FileTrees.class);

  private FileTrees() {}

  /** Deletes a folder with everything in it, if it is there. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Deletes the folders inside a folder whose names begin as given. Programs of killed processes
   * may still be writing to them: what cannot be deleted now is left for the next time.
   */
  public static void deleteLeftovers(Path folder, String prefix) throws IOException {
    try (DirectoryStream<Path> children = Files.newDirectoryStream(folder, prefix + "*")) {
      for (Path child : children) {
        try {
          delete(child);
        } catch (IOException e) {
          LOG.info("could not delete folder={}", child, e);
        }
      }
    }
  }

  /** Makes what was created or renamed in a folder outlast a loss of power. */
  public static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
