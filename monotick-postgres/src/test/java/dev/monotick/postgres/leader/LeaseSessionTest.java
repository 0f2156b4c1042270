package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseSessionTest {

  private static String setting(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select setting from pg_settings where name = '" + name + "'")) {
      row.next();
      return row.getString(1);
    }
  }

  private static long number(Connection connection, String name) throws SQLException {
    return Long.parseLong(setting(connection, name));
  }

  @ParameterizedTest
  @ValueSource(longs = {1500, 4000, 6000, 6001, 60_000})
  void serverEndsASilentSessionAfterTheLeaseAndByNoMeansBefore(long lease) throws SQLException {
    LeaseTiming timing =
        new LeaseTiming(
            Duration.ofMillis(lease),
            Duration.ofMillis(300),
            Duration.ofMillis(200),
            Duration.ofMillis(lease / 10 + 1));
    Candidate candidate = new Candidate("mail", MemberId.random(), timing);
    for (int major : new int[] {TestDatabase.OLDEST, TestDatabase.NEWEST}) {
      try (Connection connection = TestDatabase.on(major).connect()) {
        assertThat(LeaseSession.prepare(connection, candidate)).isPositive();
        assertThat(number(connection, "idle_session_timeout")).isEqualTo(lease);
        assertThat(number(connection, "idle_in_transaction_session_timeout")).isEqualTo(lease);
        assertThat(number(connection, "tcp_user_timeout")).isGreaterThanOrEqualTo(lease);
        long keepalives =
            number(connection, "tcp_keepalives_idle")
                + number(connection, "tcp_keepalives_interval")
                    * number(connection, "tcp_keepalives_count");
        assertThat(keepalives * 1000).isBetween(lease, Math.max(4000, lease + 1000));
        assertThat(number(connection, "statement_timeout")).isEqualTo(200);
        assertThat(setting(connection, "application_name")).isEqualTo("monotick lease mail");
      }
    }
  }
}
