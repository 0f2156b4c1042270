/** What operators look at and do: tasks and how they keep their promise, replicas, leadership. */
@NullMarked
package dev.monotick.server.operate;

import org.jspecify.annotations.NullMarked;
