/** Rules about the shape of the code that hold in every module. */
@NullMarked
package dev.monotick.architecture;

import org.jspecify.annotations.NullMarked;
