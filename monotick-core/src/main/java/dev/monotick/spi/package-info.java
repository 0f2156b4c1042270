/** What a backend implements. Implemented by our own backends; may still change. */
@NullMarked
package dev.monotick.spi;

import org.jspecify.annotations.NullMarked;
