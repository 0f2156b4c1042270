package dev.monotick.server.database;

import dev.monotick.postgres.connection.SchemaName;
import java.util.regex.Pattern;

/**
 * Names of tables: {@code @name} in SQL is one of the control plane's own, {@code @@name} one of
 * the engine's.
 */
public final class TableNames {

  private static final Pattern ENGINE = Pattern.compile("@@([a-z_]+)");
  private static final Pattern OWN = Pattern.compile("@([a-z_]+)");

  private final SchemaName engine;
  private final SchemaName own;

  TableNames(SchemaName engine) {
    this.engine = engine;
    this.own = new SchemaName(engine.text() + "_server");
  }

  SchemaName own() {
    return own;
  }

  /** Puts schemas before the names of tables. */
  public String sql(String template) {
    String first = ENGINE.matcher(template).replaceAll(engine.quoted() + ".$1");
    return OWN.matcher(first).replaceAll(own.quoted() + ".$1");
  }
}
