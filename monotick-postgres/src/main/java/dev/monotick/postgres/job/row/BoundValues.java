package dev.monotick.postgres.job.row;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parameters of statements. */
public final class BoundValues {

  private BoundValues() {}

  /** Sets a parameter to an array that stands for a column of as many rows as there are items. */
  public static <T> void column(
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
    statement.setArray(index, connection.createArrayOf(type, values));
  }

  public static void ids(PreparedStatement statement, int index, Collection<Long> ids)
      throws SQLException {
    column(statement, index, "int8", List.copyOf(ids), id -> id);
  }

  /** Returns a text without the one character that the server cannot store. */
  public static String text(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }
}
