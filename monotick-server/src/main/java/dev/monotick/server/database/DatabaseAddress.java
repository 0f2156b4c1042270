package dev.monotick.server.database;

/**
 * Where the database is, and as whom to connect.
 *
 * @param url for the JDBC driver
 * @param user the role; empty if the URL says it
 * @param password its password; never shown
 */
record DatabaseAddress(String url, String user, String password) {

  @Override
  public String toString() {
    return user + "@" + url;
  }
}
