package dev.monotick.postgres.job.queue;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.spi.replica.MemberId;
import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the members of this process claimed, and the rows of claims that are over. Thread-safe. */
public final class MemberClaims {

  private static final Logger log = LoggerFactory.getLogger(MemberClaims.class);

  private final Database database;
  private final Map<MemberId, OpenClaims> claims = new ConcurrentHashMap<>();
  private final Set<MemberId> retired = ConcurrentHashMap.newKeySet();
  private final String delete;
  private final String empty;

  MemberClaims(Database database) {
    this.database = database;
    delete =
        database.sql(
            "delete from @job_claim c where c.ctid = any (array(select d.ctid"
                + " from unnest(?::bigint[]) as u(number)"
                + " join @job_claim d on d.replica = ? and d.number = u.number"
                + " for update of d skip locked))");
    empty = // not if a report holds it, or a run has not ended
        database.sql(
            """
            update @job_claim c
               set ids = '{}', lanes = '{}', runs = '{}', attempts = '{}', flags = '{}'
             where c.ctid = any (array(
               select d.ctid from @job_claim d
                where d.replica = ? and d.number = ?
                  and not exists (
                    select from unnest(d.ids, d.runs) as u(id, run)
                     where not exists (select from @job_attempt a
                                        where a.job_id = u.id and a.run = u.run))
                  for update of d skip locked))
            """);
  }

  /** Returns the claims of those that are still members. */
  public Map<MemberId, OpenClaims> current() {
    claims.entrySet().removeIf(own -> retired.contains(own.getKey()) && own.getValue().isEmpty());
    retired.retainAll(claims.keySet());
    Map<MemberId, OpenClaims> current = new HashMap<>(claims);
    current.keySet().removeAll(retired);
    return current;
  }

  /** The membership is over. Its claims are forgotten when their completions are recorded. */
  public void retire(MemberId replica) {
    if (claims.containsKey(replica)) {
      retired.add(replica);
    }
  }

  /** Returns the claims of a member. */
  public OpenClaims of(MemberId replica) {
    return claims.computeIfAbsent(replica, any -> new OpenClaims());
  }

  /**
   * Removes the jobs from the row of the newest claim of an idle replica, once all of them have
   * ended. The row stays so that its number stays used, but a job is not forgotten while a claim
   * names it. Otherwise the last jobs of an idle replica would stay on record until it claims
   * again. A claim without jobs proves nothing: a late report of one of its runs is refused, as if
   * the row was deleted.
   */
  void emptyNewest(MemberId replica) {
    OpenClaims own = of(replica);
    OptionalLong newest = own.newestToEmpty();
    if (newest.isEmpty()) {
      return;
    }
    try {
      int changed =
          database.once(
              "emptying a claim that is over",
              connection -> {
                try (PreparedStatement statement = connection.prepareStatement(empty)) {
                  statement.setObject(1, replica.value());
                  statement.setLong(2, newest.getAsLong());
                  return statement.executeUpdate();
                }
              });
      if (changed > 0) {
        own.emptied(newest.getAsLong());
      }
    } catch (StoreException e) {
      log.debug("a claim that is over is emptied later", e);
    }
  }

  /**
   * Deletes claims whose runs are all completed. A claim whose last runs were completed by two
   * calls at the same time was finished with neither; the next claim would delete it, but there may
   * be none.
   */
  void deleteFinished(MemberId replica) {
    OpenClaims own = of(replica);
    OpenClaims.Touched over = own.touchedBy(List.of());
    if (over.isEmpty()) {
      return;
    }
    try {
      int unused =
          database.once(
              "deleting claims that are over",
              connection -> {
                try (PreparedStatement statement = connection.prepareStatement(delete)) {
                  JobColumns.set(statement, 1, over.numbers());
                  statement.setObject(2, replica.value());
                  return statement.executeUpdate();
                }
              });
      own.ended(List.of(), over);
    } catch (StoreException e) {
      log.debug("claims that are over are deleted later", e);
    } finally {
      own.notEnded(over);
    }
  }
}
