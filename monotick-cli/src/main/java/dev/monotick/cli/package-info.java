/** The command line. */
@NullMarked
package dev.monotick.cli;

import org.jspecify.annotations.NullMarked;
