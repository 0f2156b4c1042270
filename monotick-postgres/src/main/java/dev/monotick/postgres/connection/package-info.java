/** Internal: connections, transactions, and what their failures mean. */
@NullMarked
package dev.monotick.postgres.connection;

import org.jspecify.annotations.NullMarked;
