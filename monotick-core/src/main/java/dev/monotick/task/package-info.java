/** What users write: tasks, their modes and policies, and what a running body sees. */
@NullMarked
package dev.monotick.task;

import org.jspecify.annotations.NullMarked;
