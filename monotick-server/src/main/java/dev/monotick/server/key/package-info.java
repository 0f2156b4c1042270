/** REST resources for API keys. */
@NullMarked
package dev.monotick.server.key;

import org.jspecify.annotations.NullMarked;
