/** What a migration of the schema reports, and the exception for a schema that cannot be used. */
@NullMarked
package dev.monotick.postgres.migration;

import org.jspecify.annotations.NullMarked;
