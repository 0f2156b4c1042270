package dev.monotick.server.support;

import static java.util.Objects.requireNonNull;

import dev.monotick.server.MonotickServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Replicas of the server, in this JVM, on one schema of the test database. */
public final class Installation implements AutoCloseable {

  /** The admin key of every installation in tests. */
  public static final String ADMIN_KEY = "mt_test_0123456789abcdef0123456789abcdef";

  private final String schema;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final List<ConfigurableApplicationContext> replicas = new ArrayList<>();

  private Installation(String schema) {
    this.schema = schema;
  }

  /** Returns an installation without replicas. */
  public static Installation create() {
    return new Installation(TestDatabase.newSchema());
  }

  /** Returns replicas to be, of the same installation but with settings of their own. */
  public Installation sibling() {
    return new Installation(schema);
  }

  /** Returns one with a replica. */
  public static Installation started() {
    Installation installation = create();
    installation.start();
    return installation;
  }

  /** Sets a property for replicas that are started from now on. */
  public Installation with(String property, String value) {
    settings.put(property, value);
    return this;
  }

  /** Starts a replica and returns somebody who calls it as admin. */
  public Api start() {
    return start(MonotickServer.application());
  }

  /**
   * Starts a replica that is part of an application, and returns somebody who calls it as admin.
   */
  public Api start(SpringApplication application) {
    List<String> arguments = new ArrayList<>();
    Map<String, String> all = new LinkedHashMap<>();
    all.put("monotick.server.port", "0");
    all.put("monotick.server.address", "127.0.0.1");
    all.put("monotick.database.url", TestDatabase.server().url());
    all.put("monotick.database.username", TestDatabase.server().user());
    all.put("monotick.database.password", TestDatabase.server().password());
    all.put("monotick.database.schema", schema);
    all.put("monotick.database.connections", "8");
    all.put("monotick.replica.name", "replica-" + (replicas.size() + 1));
    all.put("monotick.admin.key", ADMIN_KEY);
    all.put("monotick.http.allow-private", "true");
    all.put("monotick.shutdown.grace", "2s");
    all.putAll(settings);
    all.forEach((name, value) -> arguments.add("--" + name + "=" + value));
    ConfigurableApplicationContext replica = application.run(arguments.toArray(String[]::new));
    replicas.add(replica);
    return api(replicas.size() - 1);
  }

  /** Returns somebody who calls that replica as admin. */
  public Api api(int replica) {
    return new Api(port(replica), ADMIN_KEY);
  }

  /** Returns somebody who calls the first replica as admin. */
  public Api api() {
    return api(0);
  }

  /** Returns the port of a replica. */
  public int port(int replica) {
    WebServerApplicationContext context = (WebServerApplicationContext) replicas.get(replica);
    return requireNonNull(context.getWebServer()).getPort();
  }

  /** Returns a part of a replica. */
  public <T> T bean(int replica, Class<T> type) {
    return replicas.get(replica).getBean(type);
  }

  /** Returns all parts of a replica of a type. */
  public <T> Collection<T> beans(int replica, Class<T> type) {
    return replicas.get(replica).getBeansOfType(type).values();
  }

  /** Stops a replica in good order. */
  public void stop(int replica) {
    replicas.get(replica).close();
  }

  /** Returns the schema of the control plane's tables. */
  public String schema() {
    return schema + "_server";
  }

  @Override
  public void close() {
    replicas.forEach(ConfigurableApplicationContext::close);
  }
}
