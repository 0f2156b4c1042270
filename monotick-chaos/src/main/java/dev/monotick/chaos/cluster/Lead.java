package dev.monotick.chaos.cluster;

import dev.monotick.leader.Fence;

/**
 * A term that has begun and not ended, as far as its replica told.
 *
 * @param source the process that leads
 * @param fence the fence of the term
 * @param gainedNanos when it was told so
 */
public record Lead(String source, Fence fence, long gainedNanos) {}
