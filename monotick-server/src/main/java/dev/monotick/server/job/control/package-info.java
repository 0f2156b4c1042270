/** Controls for operators: pauses, limits, kinds, queues and statistics. */
@NullMarked
package dev.monotick.server.job.control;

import org.jspecify.annotations.NullMarked;
