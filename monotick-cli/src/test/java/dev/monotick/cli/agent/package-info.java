@NullMarked
package dev.monotick.cli.agent;

import org.jspecify.annotations.NullMarked;
