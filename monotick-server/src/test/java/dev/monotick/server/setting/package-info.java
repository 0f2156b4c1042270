@NullMarked
package dev.monotick.server.setting;

import org.jspecify.annotations.NullMarked;
