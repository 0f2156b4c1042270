/** Tests that read the sources of all modules. */
@NullMarked
package dev.monotick.checks;

import org.jspecify.annotations.NullMarked;
