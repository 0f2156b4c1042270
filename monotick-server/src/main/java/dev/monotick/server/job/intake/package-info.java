/** Creates jobs from requests, within the tenant's quotas and the queues' depth. */
@NullMarked
package dev.monotick.server.job.intake;

import org.jspecify.annotations.NullMarked;
