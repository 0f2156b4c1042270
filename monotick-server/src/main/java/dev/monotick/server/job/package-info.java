/** Jobs over REST. */
@NullMarked
package dev.monotick.server.job;

import org.jspecify.annotations.NullMarked;
