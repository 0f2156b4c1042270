package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.LockKey;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The statements about leases and fences, with {@code @name} for our tables.
 *
 * <p>Each is complete in itself, so that nothing is left open if a replica freezes between two, and
 * each names the state it expects: whoever acts on what is no longer so changes nothing.
 *
 * <p>Row locks, at read committed: {@code mint} locks the lease, then the fence; {@code renew} and
 * {@code release} lock only the lease; claims lock only the fence, in share mode.
 *
 * @param tryLock takes the session lock if it is free, and looks; parameters: the presence key that
 *     was seen already, the group
 * @param readLocked looks, with the session lock held; parameter: the group
 * @param read looks, where there is no session lock; parameter: the group
 * @param begin makes a row that nobody holds; parameters: group, replica
 * @param mint begins a term, if the row is still what was seen
 * @param renew renews a term, if it is still the current one
 * @param release ends a term, if it is still the current one
 */
record LeaseSql(
    String tryLock,
    String readLocked,
    String read,
    String begin,
    String mint,
    String renew,
    String release) {

  private static final String ROW =
      """
      , l.holder, l.timeline, l.epoch, l.heartbeat, l.released, l.lease_millis, l.presence,
        $timeline as server_timeline, pg_backend_pid() as pid
      from (values (1)) as one left join @lease as l on l.group_name = ?
      """;

  /** Timelines never go back, not even if the tables were moved to a younger server. */
  private static final String NEXT_FENCE =
      "on conflict (group_name) do update set timeline = greatest(f.timeline, excluded.timeline),"
          + " epoch = f.epoch + 1 returning f.timeline, f.epoch";

  private static final String BEGIN =
      """
      insert into @lease (group_name, holder, timeline, epoch, released)
      values (?, ?, 0, 0, true)
      on conflict do nothing
      """;

  /**
   * If the row is not what was seen, no fence is minted: a fence without a term would end the term
   * of whoever was quicker. A row that another is just writing is waited for, and judged anew.
   */
  private static final String MINT =
      """
      with old as (
        select 1 from @lease
        where group_name = ? and holder = ? and timeline = ? and epoch = ? and heartbeat = ?
          and released = ?
        for update
      ), minted as (
        insert into @fence as f (group_name, timeline, epoch)
        select ?, $timeline, 1 from old
        $next
      )
      update @lease as l
      set holder = ?, holder_name = (select name from @replica where id = ?),
        timeline = minted.timeline, epoch = minted.epoch, heartbeat = ?, released = false,
        lease_millis = ?, presence = $presence, acquired_at = now()
      from minted
      where l.group_name = ?
      returning l.timeline, l.epoch, $timeline as server_timeline, pg_backend_pid() as pid,
        $durable as durable
      """;

  private static final String RENEW =
      """
      with renewed as (
        update @lease set heartbeat = heartbeat + 1, presence = $presence
        where group_name = ? and holder = ? and timeline = ? and epoch = ? and not released
          and exists (select 1 from @fence where group_name = ? and timeline = ? and epoch = ?)
          and $locked
        returning heartbeat
      )
      select exists (select 1 from renewed) as renewed, $timeline as server_timeline,
        pg_backend_pid() as pid, $durable as durable
      """;

  private static final String RELEASE =
      """
      update @lease set released = true
      where group_name = ? and holder = ? and timeline = ? and epoch = ? and not released
      """;

  /** Returns the statements for where there is no session to hold a lock in. */
  static LeaseSql withoutSession(Dialect dialect) {
    return of(dialect, Optional.empty(), OptionalLong.empty());
  }

  /**
   * Returns the statements for one session.
   *
   * @param lock the lock of the group
   * @param presence the lock by which others see that this process lives, if it has one
   */
  static LeaseSql inSession(LockKey lock, OptionalLong presence) {
    return of(Dialect.POSTGRES, Optional.of(lock), presence);
  }

  private static LeaseSql of(Dialect dialect, Optional<LockKey> lock, OptionalLong presence) {
    String row = filled(dialect, ROW);
    String present = isPresent("l.presence");
    // Looking for a lock reads all locks of the server, so that is done until it was seen once.
    String unseen = "case when l.presence is distinct from ? then " + present + " end as present";
    String take = lock.map(key -> "pg_try_advisory_lock(" + key.sql() + ")").orElse("false");
    String locked = lock.map(key -> LockKey.isHeldByMe(key.sql())).orElse("true");
    return new LeaseSql(
        "select " + take + " as locked, " + unseen + row,
        "select true as locked, " + present + " as present" + row,
        "select false as locked, null::boolean as present" + row,
        BEGIN,
        filled(dialect, MINT).replace("$presence", shown(presence)),
        filled(dialect, RENEW).replace("$presence", shown(presence)).replace("$locked", locked),
        RELEASE);
  }

  private static String filled(Dialect dialect, String text) {
    return text.replace("$next", NEXT_FENCE)
        .replace("$timeline", dialect.timeline())
        .replace("$durable", dialect.durable());
  }

  /** The server is asked, not this process, which may not have noticed yet that it lost it. */
  private static String shown(OptionalLong presence) {
    if (presence.isEmpty()) {
      return "null";
    }
    String key = new LockKey(presence.getAsLong()).sql();
    return "case when " + isPresent(key) + " then " + key + " end";
  }

  /** The registry's session holds a lock of the process as well, the neighbour of that key. */
  private static String isPresent(String key) {
    return LockKey.isHeld(key + ", " + key + " # 1");
  }
}
