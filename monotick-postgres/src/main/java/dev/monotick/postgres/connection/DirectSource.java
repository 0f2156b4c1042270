package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Connections by a URL. Everything that can block has a limit on this side too: a server that
 * vanished without a word must not be waited for. What the URL says wins.
 */
public final class DirectSource implements ConnectionSource {

  private static final String PREFIX = "jdbc:postgresql:";

  private final String url;
  private final Properties properties = new Properties();

  /** Creates one; user and password may also be in the URL. */
  public DirectSource(String url, @Nullable String user, @Nullable String password) {
    if (!url.startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          "url must begin with "
              + PREFIX
              + ", but began with \""
              + url.substring(0, Math.min(url.length(), 16)) // no more: it may hold a password
              + "\"; write it like jdbc:postgresql://host:5432/database");
    }
    this.url = url;
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("connectTimeout", "3"); // seconds, as all of these
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "30"); // a last resort: each call sets its own
    properties.setProperty("cancelSignalTimeout", "2");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("assumeMinServerVersion", "14");
    properties.setProperty("ApplicationName", "monotick");
    PromptSockets.useIn(properties);
  }

  @Override
  public Connection open() throws SQLException {
    return DriverManager.getConnection(url, properties);
  }
}
