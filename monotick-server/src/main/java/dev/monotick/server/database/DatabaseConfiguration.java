package dev.monotick.server.database;

import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.PostgresStoreBuilder;
import dev.monotick.postgres.connection.DataSourcePool;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.DirectSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.postgres.leader.PoolerProbe;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.postgres.notify.PresenceSession;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import dev.monotick.spi.time.TimeSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/** Finds the database or starts one, brings its tables up to date, and opens the pool. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  private static final Logger log = LoggerFactory.getLogger(DatabaseConfiguration.class);

  private static final List<String> STEPS =
      List.of(
          "V1__baseline.tenants.sql",
          "V1__baseline.audit.sql",
          "V1__baseline.idempotency.sql",
          "V1__baseline.schedules.sql",
          "V1__baseline.remote_work.sql",
          "V1__baseline.rate_limits.sql",
          "V1__baseline.quotas.sql",
          "V1__baseline.approvals.sql",
          "V1__baseline.secrets.sql",
          "V1__baseline.operations.sql",
          "V1__baseline.statistics.sql");

  /** The embedded server, if there is one: stopped after all that uses it. */
  static final class Server implements DisposableBean {

    private final @Nullable EmbeddedPostgres embedded;
    private final DatabaseAddress address;

    Server(@Nullable EmbeddedPostgres embedded, DatabaseAddress address) {
      this.embedded = embedded;
      this.address = address;
    }

    @Override
    public void destroy() {
      Optional.ofNullable(embedded).ifPresent(EmbeddedPostgres::close);
    }
  }

  @Bean
  Server databaseServer(ServerSettings settings) {
    String url = settings.get(SettingCatalog.DATABASE_URL);
    if (!url.isEmpty()) {
      return new Server(
          null,
          new DatabaseAddress(
              url,
              settings.get(SettingCatalog.DATABASE_USERNAME),
              settings.get(SettingCatalog.DATABASE_PASSWORD)));
    }
    Path folder = Path.of(settings.get(SettingCatalog.DATA_FOLDER)).toAbsolutePath();
    log.info("No MONOTICK_DATABASE_URL: starting an embedded PostgreSQL in {}", folder);
    EmbeddedPostgres embedded =
        EmbeddedPostgres.builder().folder(folder).setting("max_connections", "300").start();
    return new Server(
        embedded, new DatabaseAddress(embedded.url(), embedded.user(), embedded.password()));
  }

  @Bean
  PostgresStore store(Server server, ServerSettings settings) {
    PostgresStoreBuilder builder =
        PostgresStore.builder()
            .url(server.address.url())
            .schema(settings.get(SettingCatalog.DATABASE_SCHEMA))
            .durableCommits(settings.get(SettingCatalog.DATABASE_DURABLE_COMMITS));
    if (!server.address.user().isEmpty()) {
      builder.user(server.address.user()).password(server.address.password());
    }
    return builder.build();
  }

  /** After the store, which has checked the server and told what is wrong with it. */
  @Bean
  ServerPool dataSource(Server server, PostgresStore store, ServerSettings settings) {
    ServerPool pool =
        new ServerPool(
            PoolerProbe.findPooler(direct(server)),
            settings.get(SettingCatalog.DATABASE_DURABLE_COMMITS));
    pool.setPoolName("rest");
    pool.setJdbcUrl(server.address.url());
    if (!server.address.user().isEmpty()) {
      pool.setUsername(server.address.user());
      pool.setPassword(server.address.password());
    }
    pool.setMaximumPoolSize(settings.get(SettingCatalog.DATABASE_CONNECTIONS));
    pool.setMinimumIdle(2);
    pool.setConnectionTimeout(5_000);
    pool.addDataSourceProperty("socketTimeout", "60");
    pool.addDataSourceProperty("tcpKeepAlive", "true");
    pool.addDataSourceProperty("ApplicationName", "monotick-server");
    return pool;
  }

  private static DirectSource direct(Server server) {
    DatabaseAddress address = server.address;
    boolean named = !address.user().isEmpty();
    return new DirectSource(
        address.url(), named ? address.user() : null, named ? address.password() : null);
  }

  @Bean
  PlatformTransactionManager transactionManager(ServerPool dataSource) {
    return dataSource.transactionManager();
  }

  /** One more session, for what replicas tell each other of the control plane. */
  @Bean
  ReplicaNotifications replicaNotifications(
      Server server, ServerPool dataSource, ServerSettings settings, TimeSource time) {
    SchemaName own =
        new TableNames(new SchemaName(settings.get(SettingCatalog.DATABASE_SCHEMA))).own();
    Optional<String> pooler = dataSource.pooler();
    pooler.ifPresent(
        why -> log.info("replicas find each other's changes by looking for them: {}", why));
    Notifications notices =
        pooler.isPresent()
            ? Notifications.none()
            : PresenceSession.start(
                new Database(new DataSourcePool(dataSource::getConnection), direct(server), own),
                own,
                UUID.randomUUID());
    return new ReplicaNotifications(notices, dataSource, time);
  }

  @Bean
  Sql sql(ServerPool dataSource, PlatformTransactionManager manager, ServerSettings settings) {
    TableNames tables =
        new TableNames(new SchemaName(settings.get(SettingCatalog.DATABASE_SCHEMA)));
    Migrations.of(dataSource::plainConnection, tables.own(), DatabaseConfiguration.class, STEPS)
        .migrate();
    return new Sql(tables, dataSource, manager);
  }
}
