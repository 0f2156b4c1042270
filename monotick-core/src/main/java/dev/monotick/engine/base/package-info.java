/** Identity and context that all parts of the engine share. */
@NullMarked
package dev.monotick.engine.base;

import org.jspecify.annotations.NullMarked;
