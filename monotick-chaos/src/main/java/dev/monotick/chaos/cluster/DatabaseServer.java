package dev.monotick.chaos.cluster;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A PostgreSQL server that replicas share, as its master sees it: without faults in between. */
public interface DatabaseServer extends AutoCloseable {

  /** Returns where it listens now; another port after a restart, maybe. */
  InetSocketAddress address();

  /** Returns a user who may do everything. */
  String user();

  /** Returns that user's password. */
  String password();

  @Override
  void close();

  /** Returns the JDBC URL of the database as reached by that host and port. */
  default String url(String host, int port) {
    return "jdbc:postgresql://" + host + ":" + port + "/postgres";
  }

  /** Returns a new connection, which the caller closes. */
  default Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user());
    properties.setProperty("password", password());
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("socketTimeout", "20");
    InetSocketAddress address = address();
    return DriverManager.getConnection(
        url(address.getAddress().getHostAddress(), address.getPort()), properties);
  }
}
