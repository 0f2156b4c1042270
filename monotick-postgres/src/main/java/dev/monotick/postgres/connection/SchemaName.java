package dev.monotick.postgres.connection;

import java.util.regex.Pattern;

/**
 * The name of the schema that holds our tables.
 *
 * @param text the name, safe to be written into SQL
 */
public record SchemaName(String text) {

  private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,47}");

  /** What it is called unless somebody chose otherwise. */
  public static final SchemaName DEFAULT = new SchemaName("monotick");

  /** Refuses what would need quoting, or is not ours to use. */
  public SchemaName {
    if (!VALID.matcher(text).matches() || text.startsWith("pg_")) {
      throw new IllegalArgumentException(
          "schema must be 1 to 48 of a-z, 0-9 and _, not begin with a digit or pg_, but was \""
              + text
              + "\"; choose another name");
    }
  }

  /** Returns the name as an SQL identifier. */
  public String quoted() {
    return '"' + text + '"'; // it may be a key word, as "user" is
  }
}
