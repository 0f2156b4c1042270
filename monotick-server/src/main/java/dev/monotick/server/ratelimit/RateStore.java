package dev.monotick.server.ratelimit;

import dev.monotick.server.database.Sql;
import org.springframework.stereotype.Component;

/** The buckets, in the database: one statement takes from one, by the database's clock. */
@Component
class RateStore {

  private final Sql sql;

  /**
   * What somebody got.
   *
   * @param count how many
   * @param left how many are left
   * @param nanosToNext how long until there is one again; 0 if there is
   */
  record Grant(long count, long left, long nanosToNext) {}

  RateStore(Sql sql) {
    this.sql = sql;
  }

  /**
   * Takes from a bucket, and puts back what was taken before and not used.
   *
   * <p>The row has the moment at which its bucket is full again; each token taken moves it on. The
   * time is that of the statement's start: whoever waited for the row's lock asks as of then, and
   * so never gets more than there is.
   *
   * @param each nanoseconds from one token to the next
   * @param capacity of the bucket
   * @param wanted how many, at most the capacity
   * @param unused of what this caller took before
   */
  Grant take(Bucket bucket, long each, long capacity, long wanted, long unused) {
    return sql.of(
            """
            insert into @rate_limit as r (limiter, key, tat, granted)
            values (:limiter, :key,
                    cast(extract(epoch from now()) * 1000000 as bigint) * 1000
                      + cast(:wanted as bigint) * cast(:each as bigint),
                    :wanted)
            on conflict (limiter, key) do update set (tat, granted) = (
              select g.base + g.granted * cast(:each as bigint), g.granted
                from (select b.base,
                             greatest(0, least(cast(:wanted as bigint),
                               (cast(:capacity as bigint) * cast(:each as bigint) - (b.base - b.now))
                                 / cast(:each as bigint))) as granted
                        from (select n.now,
                                     greatest(r.tat - cast(:unused as bigint) * cast(:each as bigint),
                                              n.now) as base
                                from (select excluded.tat
                                             - cast(:wanted as bigint) * cast(:each as bigint) as now
                                     ) n) b) g)
            returning granted, tat - cast(extract(epoch from now()) * 1000000 as bigint) * 1000
            """)
        .param("limiter", bucket.limiter())
        .param("key", bucket.key())
        .param("each", each)
        .param("capacity", capacity)
        .param("wanted", wanted)
        .param("unused", unused)
        .query(
            (row, number) -> {
              long full = Math.max(0, row.getLong(2));
              long left = Math.max(0, capacity - (full + each - 1) / each);
              return new Grant(row.getLong(1), left, Math.max(0, full + each - capacity * each));
            })
        .single();
  }

  /** A bucket's name. */
  record Bucket(String limiter, String key) {}

  /** Forgets buckets that are full. */
  int removeFull() {
    return sql.of(
            """
            delete from @rate_limit
             where tat < cast(extract(epoch from now()) * 1000000 as bigint) * 1000
            """)
        .update();
  }
}
