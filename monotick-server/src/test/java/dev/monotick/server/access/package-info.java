/** Tests of who may do what. */
@NullMarked
package dev.monotick.server.access;

import org.jspecify.annotations.NullMarked;
