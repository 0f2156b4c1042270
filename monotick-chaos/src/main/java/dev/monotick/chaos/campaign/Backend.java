package dev.monotick.chaos.campaign;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The ways in which replicas can use the database. */
public enum Backend {
  /** A session holds an advisory lock. */
  ADVISORY("ADVISORY_LEASE", false, "advisory lease"),
  /** A row says who leads. */
  ROW("LEASE_ROW", false, "lease row"),
  /** A row, polling, and nothing that a pooler would not let through. */
  PORTABLE("LEASE_ROW", true, "lease row, portable mode");

  private final String leadership;
  private final boolean portable;
  private final String title;

  Backend(String leadership, boolean portable, String title) {
    this.leadership = leadership;
    this.portable = portable;
    this.title = title;
  }

  static Optional<Backend> of(String text) {
    return Arrays.stream(values()).filter(backend -> backend.text().equals(text)).findFirst();
  }

  static String all() {
    return Arrays.stream(values()).map(Backend::text).collect(Collectors.joining(", "));
  }

  /** Returns how leaders are elected: a name that the store knows. */
  public String leadership() {
    return leadership;
  }

  /** Says whether the store does without sessions. */
  public boolean isPortable() {
    return portable;
  }

  /** Returns its name for people. */
  public String title() {
    return title;
  }

  /** Returns its name for scripts. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
