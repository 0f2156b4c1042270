package dev.monotick.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The servers that the tests of this JVM share, one for each major version. */
record TestServer(String url, String user, String password) {

  private static final Map<Integer, TestServer> SERVERS = new ConcurrentHashMap<>();

  static TestServer of(int major) {
    return SERVERS.computeIfAbsent(major, TestServer::start);
  }

  private static TestServer start(int major) {
    return new TestServer("jdbc:postgresql://127.0.0.1:543" + major + "/postgres", "postgres", "x");
  }
}
