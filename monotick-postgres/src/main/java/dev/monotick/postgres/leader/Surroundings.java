package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.notice.Notices;
import dev.monotick.time.Ticker;

/**
 * What an election and its candidacies work with.
 *
 * @param ticker measures how long others have been silent, and how old an own renewal is
 */
public record Surroundings(Database database, SchemaName schema, Notices notices, Ticker ticker) {}
