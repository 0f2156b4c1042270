package dev.monotick.postgres.job.row;

import dev.monotick.work.Effect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Values as the driver takes and gives them; whole columns are sent as one array each. */
public final class JobColumns {

  private JobColumns() {}

  public static void set(PreparedStatement statement, int index, long @Nullable [] values)
      throws SQLException {
    array(statement, index, "int8", values);
  }

  public static void set(PreparedStatement statement, int index, int @Nullable [] values)
      throws SQLException {
    array(statement, index, "int4", values);
  }

  public static void set(PreparedStatement statement, int index, short @Nullable [] values)
      throws SQLException {
    array(statement, index, "int2", values);
  }

  public static void set(PreparedStatement statement, int index, boolean @Nullable [] values)
      throws SQLException {
    array(statement, index, "bool", values);
  }

  public static void set(
      PreparedStatement statement, int index, @Nullable String @Nullable [] values)
      throws SQLException {
    array(statement, index, "text", values);
  }

  static void set(PreparedStatement statement, int index, byte @Nullable [] @Nullable [] values)
      throws SQLException {
    array(statement, index, "bytea", values);
  }

  /** Numbers of which some are missing. */
  static void set(PreparedStatement statement, int index, @Nullable Long @Nullable [] values)
      throws SQLException {
    array(statement, index, "int8", values);
  }

  private static void array(
      PreparedStatement statement, int index, String type, @Nullable Object values)
      throws SQLException {
    if (values == null) {
      statement.setNull(index, Types.NULL); // its type is in the statement
    } else if (values instanceof Object[] objects) {
      statement.setArray(index, statement.getConnection().createArrayOf(type, objects));
    } else {
      statement.setObject(
          index,
          statement
              .getConnection()
              .unwrap(org.postgresql.PGConnection.class)
              .createArrayOf(type, values));
    }
  }

  /** Returns a text without the one character that the server cannot store. */
  public static String text(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }

  public static long micros(Instant time) {
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
  }

  public static Instant time(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
  }

  /** The longest time there is, for durations that overflow. */
  static long micros(Duration duration) {
    return duration.getSeconds() > 1L << 40
        ? Long.MAX_VALUE / 1024
        : duration.getSeconds() * 1_000_000 + duration.getNano() / 1_000;
  }

  static @Nullable Instant time(ResultSet row, int column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  public static short effect(Effect effect) {
    return switch (effect) {
      case AT_LEAST_ONCE -> 0;
      case AT_MOST_ONCE -> 1;
      case TRANSACTIONAL -> 2;
    };
  }

  public static Effect effect(int stored) {
    return switch (stored) {
      case 0 -> Effect.AT_LEAST_ONCE;
      case 1 -> Effect.AT_MOST_ONCE;
      case 2 -> Effect.TRANSACTIONAL;
      default -> throw new IllegalStateException("there is no effect " + stored);
    };
  }

  /** Returns headers as the text of an array: name, value, name, value. */
  public static @Nullable String headers(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    StringBuilder text = new StringBuilder("{");
    new TreeMap<>(headers)
        .forEach(
            (name, value) -> {
              quote(text, name);
              quote(text, value);
            });
    text.setCharAt(text.length() - 1, '}');
    return text.toString();
  }

  private static void quote(StringBuilder text, String value) {
    text.append('"');
    text.append(text(value).replace("\\", "\\\\").replace("\"", "\\\""));
    text.append("\",");
  }

  public static Map<String, String> headers(ResultSet row, int column) throws SQLException {
    java.sql.Array array = row.getArray(column);
    if (array == null) {
      return Map.of();
    }
    String[] texts = (String[]) array.getArray();
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i + 1 < texts.length; i += 2) {
      headers.put(texts[i], texts[i + 1]);
    }
    return headers;
  }
}
