/** Wrong versions of the product, and whether its tests notice. For the tests of all modules. */
@NullMarked
package dev.monotick.mutation;

import org.jspecify.annotations.NullMarked;
