/** The tables, and how they come into being. */
@NullMarked
package dev.monotick.postgres.schema;

import org.jspecify.annotations.NullMarked;
