/** What an operator may set, where it comes from, and what it is. */
@NullMarked
package dev.monotick.server.setting;

import org.jspecify.annotations.NullMarked;
