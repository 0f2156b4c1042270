package dev.monotick.postgres.leader;

import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;

/** Who wants to lead what, and how. */
record Candidate(String group, MemberId replica, LeaseTiming timing) {}
