/** Time that a test moves, an engine on the test's thread, and a simulated cluster. */
@NullMarked
package dev.monotick.testkit;

import org.jspecify.annotations.NullMarked;
