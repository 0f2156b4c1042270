/** Who calls, and what he may do: API keys, roles and tenants, checked in one place. */
@NullMarked
package dev.monotick.server.access;

import org.jspecify.annotations.NullMarked;
