/** Rules that every module is checked against. */
@NullMarked
package dev.monotick.checks;

import org.jspecify.annotations.NullMarked;
