/** Cron expressions: what finding the next time costs, here and in other libraries. */
@NullMarked
package dev.monotick.bench.cron;

import org.jspecify.annotations.NullMarked;
