/** Compares the store in memory with the one in PostgreSQL, call by call. */
@NullMarked
package dev.monotick.postgres.difference;

import org.jspecify.annotations.NullMarked;
