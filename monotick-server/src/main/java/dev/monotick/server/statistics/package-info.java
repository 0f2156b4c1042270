/** What happened to jobs over time. */
@NullMarked
package dev.monotick.server.statistics;

import org.jspecify.annotations.NullMarked;
