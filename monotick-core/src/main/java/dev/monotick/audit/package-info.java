/** Who did what to what: a record for people who must be able to prove it. */
@NullMarked
package dev.monotick.audit;

import org.jspecify.annotations.NullMarked;
