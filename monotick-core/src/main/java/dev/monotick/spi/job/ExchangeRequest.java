package dev.monotick.spi.job;

import java.util.List;

/**
 * Completions and a claim that travel together.
 *
 * @param completions runs that ended, all claimed under the membership that asks
 * @param claim the jobs to claim
 * @param offers whether one job may be claimed under the number later if there is none now, by the
 *     replica that adds it; see {@link JobHandoffStore}
 */
public record ExchangeRequest(List<Completion> completions, ClaimRequest claim, boolean offers) {}
