package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Folders of servers that were started once: a copy is made faster than a new one. */
final class Initialised {

  private static final Path ORIGINAL = original();

  private Initialised() {}

  /** Makes an absent folder one of a server of version 18 that was stopped in good order. */
  static void copyTo(Path folder) throws IOException {
    // With owners and permissions, as no copy of the JDK does for folders as a whole.
    Commands.Result copied =
        Commands.run(List.of("cp", "-a", ORIGINAL.toString(), folder.toString()));
    if (!copied.isOk()) {
      throw new IOException(copied.output());
    }
  }

  private static Path original() {
    try {
      Path parent = OpenFolder.create();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(parent)));
      Path folder = parent.resolve("original");
      EmbeddedPostgres.builder().folder(folder).start().close();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try {
      FileTrees.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
