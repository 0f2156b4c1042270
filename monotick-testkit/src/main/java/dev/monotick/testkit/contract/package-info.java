/** Contract suites that every backend extends. */
@NullMarked
package dev.monotick.testkit.contract;

import org.jspecify.annotations.NullMarked;
