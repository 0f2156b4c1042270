/**
 * Sends and receives PostgreSQL notifications, and holds the session that proves a replica's
 * presence.
 */
@NullMarked
package dev.monotick.postgres.notify;

import org.jspecify.annotations.NullMarked;
