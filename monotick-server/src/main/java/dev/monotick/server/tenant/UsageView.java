package dev.monotick.server.tenant;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much a tenant uses.
 *
 * @param tenant who
 * @param quotas of what
 */
record UsageView(String tenant, List<QuotaView> quotas) {

  /**
   * How much of one quota.
   *
   * @param quota of what
   * @param used how much
   * @param limit how much there may be: a number, or "unlimited"
   * @param percent used of the limit; null if it is unlimited
   */
  record QuotaView(
      String quota,
      long used,
      @Schema(description = "a number, or \"unlimited\"") Object limit,
      @Nullable Double percent) {}

  static UsageView of(String tenant, List<Quotas.Usage> usages) {
    return new UsageView(
        tenant,
        usages.stream()
            .map(
                each ->
                    new QuotaView(
                        each.quota().field(),
                        each.used(),
                        TenantView.shown(each.limit()),
                        percent(each.used(), each.limit())))
            .toList());
  }

  /** To a tenth; what may have nothing is full. */
  private static @Nullable Double percent(long used, long limit) {
    if (limit < 0) {
      return null;
    }
    return limit == 0 ? 100.0 : Math.round(used * 1000.0 / limit) / 10.0;
  }
}
