/** Membership of this replica and its lease. */
@NullMarked
package dev.monotick.engine.member;

import org.jspecify.annotations.NullMarked;
