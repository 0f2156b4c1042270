/** Tenants, their quotas, and how much of them is in use. */
@NullMarked
package dev.monotick.server.tenant;

import org.jspecify.annotations.NullMarked;
