/** What a backend of jobs is asked to do. Implemented by our own backends. */
@NullMarked
package dev.monotick.job.store;

import org.jspecify.annotations.NullMarked;
