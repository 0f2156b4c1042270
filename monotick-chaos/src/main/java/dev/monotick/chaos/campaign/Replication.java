package dev.monotick.chaos.campaign;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What kind of standby a database has. */
public enum Replication {
  /** None. */
  NONE(""),
  /** One that may lack what was acknowledged last. */
  ASYNC(", asynchronous standby"),
  /** One that has whatever was acknowledged. */
  SYNC(", synchronous standby");

  private final String title;

  Replication(String title) {
    this.title = title;
  }

  static Optional<Replication> of(String text) {
    return Arrays.stream(values())
        .filter(replication -> replication != NONE && replication.text().equals(text))
        .findFirst();
  }

  /** Returns its name for people, to be added to that of the backend. */
  String title() {
    return title;
  }

  /** Returns its name for scripts. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
