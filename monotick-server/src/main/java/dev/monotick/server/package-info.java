/** The control plane: schedules, jobs, tenants, quotas, audit and agents over REST. */
@NullMarked
package dev.monotick.server;

import org.jspecify.annotations.NullMarked;
