/**
 * How refusals are told: RFC 9457 problem documents that name the field, the value and the remedy.
 */
@NullMarked
package dev.monotick.server.problem;

import org.jspecify.annotations.NullMarked;
