/** What the PostgreSQL store costs and how punctual it is, on a real and durable server. */
@NullMarked
package dev.monotick.bench.postgres;

import org.jspecify.annotations.NullMarked;
