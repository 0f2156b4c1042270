/** The store on PostgreSQL. */
@NullMarked
package dev.monotick.postgres;

import org.jspecify.annotations.NullMarked;
