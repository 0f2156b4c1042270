/** Secrets of tenants, for the calls that are made for them: encrypted at rest, never shown. */
@NullMarked
package dev.monotick.server.secret;

import org.jspecify.annotations.NullMarked;
