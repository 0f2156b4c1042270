/** What several packages need and no user should see. Not exported, and may change at any time. */
@NullMarked
package dev.monotick.internal;

import org.jspecify.annotations.NullMarked;
