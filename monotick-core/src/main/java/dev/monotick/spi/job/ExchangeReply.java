package dev.monotick.spi.job;

import java.util.List;

/**
 * The answers to both parts of an exchange.
 *
 * @param completed for each completion, in its order, whether it was recorded; see {@link
 *     JobStore#complete}
 * @param claim the jobs
 */
public record ExchangeReply(List<Boolean> completed, ClaimReply claim) {}
