/** Unpacks PostgreSQL's binaries and verifies the unpacked files. */
@NullMarked
package dev.monotick.postgres.embedded.binaries;

import org.jspecify.annotations.NullMarked;
