package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.spi.time.Ticker;

/**
 * What an election and its candidacies work with.
 *
 * @param ticker measures how long others have been silent, and how old an own renewal is
 */
public record ElectionContext(
    Database database, SchemaName schema, Notifications notifications, Ticker ticker) {}
