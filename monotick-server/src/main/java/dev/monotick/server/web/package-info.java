/** What all resources have in common: pages, entity tags, idempotency keys. */
@NullMarked
package dev.monotick.server.web;

import org.jspecify.annotations.NullMarked;
