/** Internal: hints between replicas, by LISTEN and NOTIFY. */
@NullMarked
package dev.monotick.postgres.notice;

import org.jspecify.annotations.NullMarked;
