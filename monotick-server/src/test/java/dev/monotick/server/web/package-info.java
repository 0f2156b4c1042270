/** Tests of what holds for all requests. */
@NullMarked
package dev.monotick.server.web;

import org.jspecify.annotations.NullMarked;
