/** Actions on single jobs and on many jobs at once. */
@NullMarked
package dev.monotick.server.job.act;

import org.jspecify.annotations.NullMarked;
