/** Parses and validates schedule specifications and computes their tick times. */
@NullMarked
package dev.monotick.server.schedule.spec;

import org.jspecify.annotations.NullMarked;
