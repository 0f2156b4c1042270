/** The job kinds that this server can run. */
@NullMarked
package dev.monotick.server.job.kind;

import org.jspecify.annotations.NullMarked;
