/** Internal: leadership, by a session lock or by a row. */
@NullMarked
package dev.monotick.postgres.leader;

import org.jspecify.annotations.NullMarked;
