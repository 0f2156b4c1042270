/** Job engines, each as it runs in a process of its own while it is measured. */
@NullMarked
package dev.monotick.bench.contender;

import org.jspecify.annotations.NullMarked;
