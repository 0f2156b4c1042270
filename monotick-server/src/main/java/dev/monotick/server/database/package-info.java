/** The one PostgreSQL that all replicas share, and the control plane's own tables in it. */
@NullMarked
package dev.monotick.server.database;

import org.jspecify.annotations.NullMarked;
