/** The jobs of storm and chaos runs: what each job does, and how handlers record it. */
@NullMarked
package dev.monotick.chaos.workload;

import org.jspecify.annotations.NullMarked;
