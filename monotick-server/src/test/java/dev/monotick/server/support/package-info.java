/** What tests of the server share: one PostgreSQL, replicas on it, and somebody who calls them. */
@NullMarked
package dev.monotick.server.support;

import org.jspecify.annotations.NullMarked;
