/** Fair sharing of replicas among lanes of jobs, shared by all backends. */
@NullMarked
package dev.monotick.internal.lane;

import org.jspecify.annotations.NullMarked;
