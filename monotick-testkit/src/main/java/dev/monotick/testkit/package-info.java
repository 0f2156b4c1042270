/** Time that a test moves, and the contract suites that every backend passes. */
@NullMarked
package dev.monotick.testkit;

import org.jspecify.annotations.NullMarked;
