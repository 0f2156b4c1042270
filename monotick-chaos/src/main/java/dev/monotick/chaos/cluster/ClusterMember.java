package dev.monotick.chaos.cluster;

import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.process.ChildProcess;

/**
 * A replica that was started.
 *
 * @param source its name: a new one for every start
 * @param place what it is started as again when it is gone: {@code r1}
 * @param process the process
 * @param network what is between it and its database
 */
public record ClusterMember(
    String source, String place, ChildProcess process, FaultProxy network) {}
