/** Who did what to what, chained so that nobody can change it unnoticed. */
@NullMarked
package dev.monotick.server.audit;

import org.jspecify.annotations.NullMarked;
