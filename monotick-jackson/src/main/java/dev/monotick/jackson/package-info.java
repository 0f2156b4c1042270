/** Payloads of jobs as JSON, by Jackson. */
@NullMarked
package dev.monotick.jackson;

import org.jspecify.annotations.NullMarked;
