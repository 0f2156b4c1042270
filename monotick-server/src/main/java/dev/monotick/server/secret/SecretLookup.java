package dev.monotick.server.secret;

import dev.monotick.server.database.Sql;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Finds secrets for the calls that need them. */
@Component
public class SecretLookup {

  private final Sql sql;
  private final SecretBox box;

  SecretLookup(Sql sql, SecretBox box) {
    this.sql = sql;
    this.box = box;
  }

  static String place(String tenant, String name) {
    return "secret/" + tenant + "/" + name;
  }

  private record Row(SecretBox.Sealed sealed, long version) {}

  /**
   * Returns the value of a tenant's secret; empty if there is none of that name. What an older key
   * encrypted is encrypted anew on the way, so that in time the older one can go.
   *
   * @throws IllegalStateException if it cannot be decrypted
   */
  public Optional<String> value(String tenant, String name) {
    Optional<Row> found =
        sql.of(
                "select key_id, sealed, version from @secret where tenant = :tenant and name = :name")
            .param("tenant", tenant)
            .param("name", name)
            .query(
                (row, number) ->
                    new Row(
                        new SecretBox.Sealed(row.getString("key_id"), row.getBytes("sealed")),
                        row.getLong("version")))
            .optional();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Row row = found.get();
    String value = box.open(place(tenant, name), row.sealed());
    if (!box.keyId().equals(Optional.of(row.sealed().keyId()))) {
      renew(tenant, name, value, row.version());
    }
    return Optional.of(value);
  }

  private void renew(String tenant, String name, String value, long version) {
    SecretBox.Sealed sealed = box.seal(place(tenant, name), value);
    sql.of(
            """
            update @secret set key_id = :key, sealed = :sealed
             where tenant = :tenant and name = :name and version = :version
            """)
        .param("key", sealed.keyId())
        .param("sealed", sealed.bytes())
        .param("tenant", tenant)
        .param("name", name)
        .param("version", version)
        .update();
  }
}
