/** The implementation of the job API on a store. */
@NullMarked
package dev.monotick.engine.client;

import org.jspecify.annotations.NullMarked;
