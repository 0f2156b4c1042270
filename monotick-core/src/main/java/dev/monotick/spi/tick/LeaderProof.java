package dev.monotick.spi.tick;

import dev.monotick.leader.Fence;

/** On whose authority a leader writes: refused unless the fence is the newest of its group. */
public record LeaderProof(String group, Fence fence) {}
