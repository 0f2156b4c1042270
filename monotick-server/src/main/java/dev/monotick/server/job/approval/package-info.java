/** Rules for jobs that require approval: who may approve, how many, and when to escalate. */
@NullMarked
package dev.monotick.server.job.approval;

import org.jspecify.annotations.NullMarked;
