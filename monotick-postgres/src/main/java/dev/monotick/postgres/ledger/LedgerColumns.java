package dev.monotick.postgres.ledger;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.TickClaimId;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values as the driver takes and gives them. */
final class LedgerColumns {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS");

  private LedgerColumns() {}

  /**
   * Sets a parameter to one array, which stands for a column of as many rows as there are items.
   */
  static <T> void set(
      PreparedStatement statement,
      int index,
      String type,
      List<T> items,
      Function<T, ? extends @Nullable Object> value)
      throws SQLException {
    @Nullable Object[] values = new @Nullable Object[items.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(items.get(i));
    }
    Connection connection = statement.getConnection();
    Array array = connection.createArrayOf(type, values);
    statement.setArray(index, array);
  }

  /**
   * Returns a time as text that the server reads without loss and without a zone of its own. Times
   * are kept to the microsecond.
   */
  static @Nullable String time(@Nullable Instant time) {
    if (time == null) {
      return null;
    }
    LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    String era = utc.getYear() > 0 ? "" : " BC";
    return TIME.format(utc) + "+00" + era;
  }

  static @Nullable Instant time(ResultSet row, int column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  static Instant requiredTime(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static Instant micros(Instant time) {
    return time.truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns a text without the one character that the server cannot store. */
  static String text(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }

  static String text(TickClaimId claim) {
    return claim.replica().value() + "#" + claim.number();
  }

  static TickClaimId claim(String text) {
    int hash = text.indexOf('#');
    return new TickClaimId(
        new MemberId(UUID.fromString(text.substring(0, hash))),
        Long.parseLong(text.substring(hash + 1)));
  }
}
