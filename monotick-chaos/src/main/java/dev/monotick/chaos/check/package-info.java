/** Holds a run's histories against what is promised. */
@NullMarked
package dev.monotick.chaos.check;

import org.jspecify.annotations.NullMarked;
