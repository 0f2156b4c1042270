package dev.monotick.postgres.leader;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.replica.ReplicaId;

/** Who wants to lead what, and how. */
record Candidate(String group, ReplicaId replica, LeaseTiming timing) {}
