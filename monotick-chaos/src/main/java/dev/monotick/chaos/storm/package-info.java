/** Many jobs, several workers, and no peace: are jobs lost, run twice, or too many at a time? */
@NullMarked
package dev.monotick.chaos.storm;

import org.jspecify.annotations.NullMarked;
