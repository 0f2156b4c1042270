/** Tests of the audit. */
@NullMarked
package dev.monotick.server.audit;

import org.jspecify.annotations.NullMarked;
