/** Measures the control plane as a process of its own, over HTTP. */
@NullMarked
package dev.monotick.bench.server;

import org.jspecify.annotations.NullMarked;
