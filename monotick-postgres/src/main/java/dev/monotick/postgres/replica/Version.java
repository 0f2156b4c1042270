package dev.monotick.postgres.replica;

/** Which Monotick this is. */
final class Version {

  static final String OF_THIS_CODE = read();

  private Version() {}

  private static String read() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "unreleased" : version;
  }
}
