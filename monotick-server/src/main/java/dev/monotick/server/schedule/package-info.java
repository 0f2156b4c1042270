/** Stored schedules: recurring work that tenants keep over REST, each fire of which makes a job. */
@NullMarked
package dev.monotick.server.schedule;

import org.jspecify.annotations.NullMarked;
