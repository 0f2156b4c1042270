package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class EmbeddedPostgresTest {

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void startsDurably(int major) throws SQLException {
    try (EmbeddedPostgres server =
            EmbeddedPostgres.builder().folder(folder.resolve("server")).major(major).start();
        Connection connection = connect(server);
        Statement statement = connection.createStatement()) {
      assertThat(show(statement, "server_version")).startsWith(major + ".");
      assertThat(show(statement, "fsync")).isEqualTo("on");
      assertThat(show(statement, "synchronous_commit")).isEqualTo("on");
      assertThat(show(statement, "full_page_writes")).isEqualTo("on");
    }
  }

  private static Connection connect(EmbeddedPostgres server) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source.getConnection(server.user(), server.password());
  }

  private static String show(Statement statement, String parameter) throws SQLException {
    try (ResultSet result = statement.executeQuery("show " + parameter)) {
      result.next();
      return result.getString(1);
    }
  }
}
