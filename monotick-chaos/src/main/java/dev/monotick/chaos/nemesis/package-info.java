/** Who does bad things to a cluster, by a plan that follows from a seed. */
@NullMarked
package dev.monotick.chaos.nemesis;

import org.jspecify.annotations.NullMarked;
