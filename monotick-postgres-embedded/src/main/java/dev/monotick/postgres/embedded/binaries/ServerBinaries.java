package dev.monotick.postgres.embedded.binaries;

import java.nio.file.Path;

/**
 * An unpacked server.
 *
 * @param folder the folder with {@code bin}, {@code lib} and {@code share}
 */
public record ServerBinaries(Path folder) {

  /** Returns the path of a program, such as {@code initdb}. */
  public String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }
}
