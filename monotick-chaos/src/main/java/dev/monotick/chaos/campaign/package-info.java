/** The chaos run: workload, nemesis, checks and what is told of them. */
@NullMarked
package dev.monotick.chaos.campaign;

import org.jspecify.annotations.NullMarked;
