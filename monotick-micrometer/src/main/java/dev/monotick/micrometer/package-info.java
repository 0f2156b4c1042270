/** The engine's figures as Micrometer meters. */
@NullMarked
package dev.monotick.micrometer;

import org.jspecify.annotations.NullMarked;
