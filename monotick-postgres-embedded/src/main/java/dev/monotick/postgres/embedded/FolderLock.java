package dev.monotick.postgres.embedded;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What processes agree by, on who may change a server and who uses it. The operating system lets go
 * of these locks when a process ends, however it ends.
 *
 * <p>One byte of the file is locked by whoever starts, initialises or stops the server, so only one
 * process at a time does. The next byte is locked, shared with others, by each process that uses
 * the server. The second changes only while the first is held, so whoever holds the first can find
 * out whether others use the server, and nobody begins to in between.
 *
 * <p>A process loses its locks when it closes <em>any</em> channel to the file; therefore it opens
 * one only, whatever the number of threads and class loaders. Threads must synchronise by
 * themselves.
 */
final class FolderLock implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(FolderLock.class);
  private static final long CHANGING = 0;
  private static final long USING = 1;

  private final Path file;
  private final FileChannel channel;
  private @Nullable FileLock using;

  private FolderLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static FolderLock open(Path file) throws IOException {
    // System properties are what all class loaders of a process share.
    if (System.getProperties().putIfAbsent(mark(file), "open") != null) {
      throw new EmbeddedPostgresException(
          "the folder of "
              + file
              + " is in use by another class loader of this process; load Monotick once only");
    }
    try {
      return new FolderLock(
          file,
          FileChannel.open(
              file,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
              ServerFolder.OWNER_ONLY));
    } catch (IOException e) {
      System.getProperties().remove(mark(file));
      throw e;
    }
  }

  private static String mark(Path file) {
    return "dev.monotick.postgres.embedded:" + file;
  }

  /** Something that is done to the server. */
  interface Change<T> {
    T make() throws IOException;
  }

  /** Waits until no other process changes the server, and makes a change. */
  <T> T change(Change<T> change) throws IOException {
    // Not lock(): an interrupt would close the channel, and with it give up all locks.
    FileLock lock = channel.tryLock(CHANGING, 1, false);
    if (lock == null) {
      LOG.info("waiting for another process to start or stop the server, lock={}", file);
      do {
        Polling.pause();
        lock = channel.tryLock(CHANGING, 1, false);
      } while (lock == null);
    }
    try {
      return change.make();
    } finally {
      lock.release();
    }
  }

  /** Counts this process among the users. To be called while changing. */
  void use() throws IOException {
    if (using == null) {
      using = channel.tryLock(USING, 1, true);
      if (using == null) {
        throw new EmbeddedPostgresException("somebody else has locked " + file + " as a whole");
      }
    }
  }

  /** Counts this process among the users no more. To be called while changing. */
  void leave() throws IOException {
    if (using != null) {
      using.release();
      using = null;
    }
  }

  boolean isUsedHere() {
    return using != null;
  }

  /** Says whether this process or others use the server. To be called while changing. */
  boolean isUsed() throws IOException {
    return isUsedHere() || isUsedByOthers();
  }

  /** Says whether other processes use the server. To be called while changing. */
  boolean isUsedByOthers() throws IOException {
    boolean used = isUsedHere();
    leave();
    FileLock alone = channel.tryLock(USING, 1, false);
    if (alone != null) {
      alone.release();
    }
    if (used) {
      use();
    }
    return alone == null;
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      System.getProperties().remove(mark(file));
    }
  }
}
