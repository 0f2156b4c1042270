/** Changes single lines of the product and runs tests that must then fail. */
@NullMarked
package dev.monotick.checks.mutation;

import org.jspecify.annotations.NullMarked;
