/** The store of jobs: enqueue, claim, complete, rescue. */
@NullMarked
package dev.monotick.spi.job;

import org.jspecify.annotations.NullMarked;
