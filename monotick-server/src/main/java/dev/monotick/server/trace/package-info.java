/**
 * Traces from the request that adds a job to the call that the job makes, told to a collector by
 * OpenTelemetry's protocol if one is set. What a tenant's jobs carry and answer is never told.
 */
@NullMarked
package dev.monotick.server.trace;

import org.jspecify.annotations.NullMarked;
