/**
 * Work that goes on elsewhere while its job waits: at an agent, or at a called service that has
 * promised to call back.
 */
@NullMarked
package dev.monotick.server.remote;

import org.jspecify.annotations.NullMarked;
