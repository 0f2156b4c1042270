package dev.monotick.spi.tick;

import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a transaction of the caller's that counts only while the claim does.
 *
 * @param claim the claim
 * @param tick its tick
 * @param effect {@link Effect#TRANSACTIONAL} to have the tick succeed with the transaction
 * @param leader proof of leadership, null where the mode needs none
 * @param startedAt when the body was started, null if that is not known
 */
public record FencedWork(
    TickClaimId claim,
    TickId tick,
    Effect effect,
    @Nullable LeaderProof leader,
    @Nullable Instant startedAt) {}
