package dev.monotick.server.tenant;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.tenant.QuotaRefusals.Refusal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Keeps tenants to what they may have. Whoever adds something asks here first, in the transaction
 * that adds it: the tenant's row is locked until that ends, so however many replicas ask at once,
 * the limit is exact. What is in use is counted by statements that begin after the row is locked:
 * at read committed they see all that was added by those who had the lock before.
 */
@Component
public class Quotas {

  private static final Duration LATER = Duration.ofSeconds(5);

  private final Sql sql;
  private final ServerSettings settings;
  private final QuotaRefusals refusals;
  private final JobsPerHour perHour;
  private final Map<Quota, QuotaUse> uses = new EnumMap<>(Quota.class);

  /** How a tenant's row is held until the transaction ends. */
  private enum Hold {
    NONE(""),
    /** It cannot be deleted. */
    THERE(" for key share"),
    /** Nobody else adds to it. */
    EXCLUSIVE(" for no key update");

    private final String statement;

    Hold(String lock) {
      statement =
          "select active_jobs, retained_jobs, agents, schedules, jobs_per_hour, suspended,"
              + " retained_policy"
              + " from @tenant where name = :tenant"
              + lock;
    }
  }

  /** What a tenant may have: -1 for unlimited. */
  private record Terms(boolean suspended, boolean refusesRetained, Map<Quota, Long> limits) {

    long limit(Quota quota) {
      return limits.getOrDefault(quota, -1L);
    }
  }

  /**
   * How much of a quota is in use.
   *
   * @param quota what
   * @param used how much
   * @param limit how much there may be; -1 for unlimited
   */
  record Usage(Quota quota, long used, long limit) {}

  Quotas(
      Sql sql,
      ServerSettings settings,
      QuotaRefusals refusals,
      JobsPerHour perHour,
      List<QuotaUse> uses) {
    this.sql = sql;
    this.settings = settings;
    this.refusals = refusals;
    this.perHour = perHour;
    uses.forEach(use -> this.uses.put(use.quota(), use));
  }

  /**
   * Refuses with 429 if the tenant may not have so many more, with 403 if it is suspended. Active
   * jobs are also jobs of this hour, and on record, which some tenants rather have refused than
   * forgotten. Whoever makes jobs then says by {@link #made} how many he made.
   */
  public void require(String tenant, Quota quota, long more) {
    Terms terms = read(tenant, Hold.EXCLUSIVE);
    requireActive(tenant, terms);
    for (Quota each : with(quota, terms)) {
      check(tenant, each, terms, more);
    }
  }

  /** What else counts what is counted here. */
  private static List<Quota> with(Quota quota, Terms terms) {
    if (quota != Quota.ACTIVE_JOBS) {
      return List.of(quota);
    }
    return terms.refusesRetained()
        ? List.of(quota, Quota.JOBS_PER_HOUR, Quota.RETAINED_JOBS)
        : List.of(quota, Quota.JOBS_PER_HOUR);
  }

  /** Counts jobs that were made in the open transaction, with the tenant locked. */
  public void made(String tenant, long jobs) {
    if (jobs > 0) {
      perHour.made(tenant, jobs);
    }
  }

  /** The same for jobs on record that become active again. */
  public void requireAgain(String tenant, long jobs) {
    Terms terms = read(tenant, Hold.EXCLUSIVE);
    requireActive(tenant, terms);
    check(tenant, Quota.ACTIVE_JOBS, terms, jobs);
  }

  /** Locks the tenant and returns how many jobs on record may become active again. */
  public long roomAgain(String tenant) {
    Terms terms = read(tenant, Hold.EXCLUSIVE);
    return terms.suspended() ? 0 : room(tenant, Quota.ACTIVE_JOBS, terms);
  }

  /**
   * Locks the tenant and returns how many more it may have; a very large number if unlimited, none
   * if it is suspended.
   */
  public long room(String tenant, Quota quota) {
    Terms terms = read(tenant, Hold.EXCLUSIVE);
    if (terms.suspended()) {
      return 0;
    }
    long room = Long.MAX_VALUE;
    for (Quota each : with(quota, terms)) {
      room = Math.min(room, room(tenant, each, terms));
    }
    return room;
  }

  /**
   * Lets somebody add jobs who learns only by adding how many he adds; he then calls {@link
   * Entry#requireKept}. Refuses if the tenant is suspended. A tenant that may have any number is
   * held with others, so that those who add jobs to it do not wait for each other; a limit that is
   * set meanwhile, or a suspension, counts from the next request on.
   */
  public Entry enter(String tenant) {
    Terms terms = read(tenant, Hold.THERE);
    if (isLimited(terms)) {
      terms = read(tenant, Hold.EXCLUSIVE);
    }
    requireActive(tenant, terms);
    return new Entry(tenant, terms);
  }

  /** The same for somebody who needs that nobody else adds anything meanwhile. */
  public Entry enterExclusively(String tenant) {
    Terms terms = read(tenant, Hold.EXCLUSIVE);
    requireActive(tenant, terms);
    return new Entry(tenant, terms);
  }

  private static boolean isLimited(Terms terms) {
    return with(Quota.ACTIVE_JOBS, terms).stream().anyMatch(each -> terms.limit(each) >= 0);
  }

  /** What somebody may add in the transaction that is open. */
  public final class Entry {

    private final String tenant;
    private final Terms terms;

    private Entry(String tenant, Terms terms) {
      this.tenant = tenant;
      this.terms = terms;
    }

    /**
     * Refuses with 429 if, with what this transaction added, the tenant has more than it may. Jobs
     * that were made are counted here.
     */
    public void requireKept(long added) {
      if (terms.limit(Quota.JOBS_PER_HOUR) >= 0) {
        made(tenant, added);
      }
      for (Quota each : with(Quota.ACTIVE_JOBS, terms)) {
        checkKept(tenant, each, terms, added);
      }
    }
  }

  /** Returns how much of each quota is in use, without locking anything. */
  List<Usage> usage(String tenant) {
    Terms terms = read(tenant, Hold.NONE);
    return Arrays.stream(Quota.values())
        .map(quota -> new Usage(quota, used(tenant, quota), terms.limit(quota)))
        .toList();
  }

  /** Counts what is in use; nothing if nobody counts it. */
  long used(String tenant, Quota quota) {
    QuotaUse use = uses.get(quota);
    return use == null ? 0 : use.used(tenant);
  }

  private long room(String tenant, Quota quota, Terms terms) {
    long limit = terms.limit(quota);
    return limit < 0 ? Long.MAX_VALUE : Math.max(0, limit - used(tenant, quota));
  }

  private void check(String tenant, Quota quota, Terms terms, long more) {
    long limit = terms.limit(quota);
    if (limit >= 0) {
      long used = used(tenant, quota);
      if (more > Math.max(0, limit - used)) {
        throw refused(new Refusal(tenant, quota, limit, used, more));
      }
    }
  }

  private void checkKept(String tenant, Quota quota, Terms terms, long added) {
    long limit = terms.limit(quota);
    if (limit >= 0 && added > 0) {
      long used = used(tenant, quota);
      if (used > limit) {
        throw refused(new Refusal(tenant, quota, limit, used - added, added));
      }
    }
  }

  private Problem refused(Refusal refusal) {
    refusals.note(refusal);
    String what = refusal.quota().field();
    return Problem.tooMany(
            "quota-exceeded",
            "tenant "
                + refusal.tenant()
                + " has "
                + refusal.used()
                + " of "
                + refusal.limit()
                + " "
                + what
                + "; "
                + refusal.more()
                + " more were asked for",
            refusal.quota() == Quota.JOBS_PER_HOUR ? perHour.left() : LATER)
        .with("quota", what)
        .with("limit", refusal.limit())
        .with("used", refusal.used());
  }

  private static void requireActive(String tenant, Terms terms) {
    if (terms.suspended()) {
      throw Problem.forbidden("tenant " + tenant + " is suspended");
    }
  }

  private Terms read(String tenant, Hold hold) {
    return sql.of(hold.statement)
        .param("tenant", tenant)
        .query((row, number) -> terms(row))
        .optional()
        .orElseThrow(() -> Problem.notFound("tenant", tenant));
  }

  private Terms terms(ResultSet row) throws SQLException {
    Map<Quota, Long> limits = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      long own = row.getLong(quota.column());
      limits.put(quota, row.wasNull() ? settings.get(quota.usual()) : own);
    }
    return new Terms(
        row.getBoolean("suspended"), row.getString("retained_policy").equals("REFUSE"), limits);
  }
}
