package dev.monotick.postgres.embedded;

import java.nio.file.Path;

/**
 * An unpacked server.
 *
 * @param folder the folder with {@code bin}, {@code lib} and {@code share}
 */
record Binaries(Path folder) {

  /** Returns the path of a program, such as {@code initdb}. */
  String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }
}
