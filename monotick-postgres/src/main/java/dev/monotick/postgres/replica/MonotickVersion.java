package dev.monotick.postgres.replica;

/** Which Monotick this is. */
final class MonotickVersion {

  static final String OF_THIS_CODE = read();

  private MonotickVersion() {}

  private static String read() {
    String version = MonotickVersion.class.getPackage().getImplementationVersion();
    return version == null ? "unreleased" : version;
  }
}
