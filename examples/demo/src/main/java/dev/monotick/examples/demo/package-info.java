/**
 * Three replicas in one process, to watch: who leads, who runs what, what a takeover looks like.
 */
@NullMarked
package dev.monotick.examples.demo;

import org.jspecify.annotations.NullMarked;
