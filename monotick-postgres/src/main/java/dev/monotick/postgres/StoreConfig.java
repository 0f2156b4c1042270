package dev.monotick.postgres;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link PostgresStoreBuilder} was told; the names are its own.
 *
 * @param source where connections for short transactions come from
 * @param isPool whether that is the application's pool, and not a URL
 * @param own where connections come from that are kept for good
 */
record StoreConfig(
    ConnectionSource source,
    boolean isPool,
    ConnectionSource own,
    SchemaName schema,
    PostgresLeadership leadership,
    SchemaChanges schemaChanges,
    boolean portable,
    Duration retention,
    Duration startupTimeout,
    @Nullable LeaseTiming leaseTiming,
    LeaseTiming membershipTiming,
    int connections,
    boolean durableCommits,
    TimeSource time) {}
