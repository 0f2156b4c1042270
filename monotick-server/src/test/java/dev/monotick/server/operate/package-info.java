@NullMarked
package dev.monotick.server.operate;

import org.jspecify.annotations.NullMarked;
