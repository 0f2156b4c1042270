/** A real PostgreSQL server in a folder of its own. */
@NullMarked
package dev.monotick.postgres.embedded;

import org.jspecify.annotations.NullMarked;
