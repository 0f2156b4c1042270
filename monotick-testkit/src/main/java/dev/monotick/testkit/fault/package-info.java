/** Stores whose calls a test lets fail. */
@NullMarked
package dev.monotick.testkit.fault;

import org.jspecify.annotations.NullMarked;
