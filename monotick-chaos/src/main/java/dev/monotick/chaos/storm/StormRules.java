package dev.monotick.chaos.storm;

import dev.monotick.chaos.process.StallWatch;
import dev.monotick.chaos.workload.PlannedJobKinds;
import java.util.List;

/**
 * What must hold after a storm, each as a query for whatever violates it.
 *
 * <p>Times are all readings of the server's clock. Those of claims are taken while a limit is
 * locked, those of ends too, or before; so in an engine that is right no interval is longer than it
 * was. The interval of a zombie, a run that others ended while its process stood still, ends when
 * they did so.
 */
final class StormRules {

  static final String LOST = "lost";
  static final String TWICE = "completed_twice";
  static final String BEGAN = "began_after_end";
  static final String ATTEMPTS = "attempts_wrong";
  static final String UNIQUE = "unique_violations";
  static final String LIMIT = "limit_violations";
  static final String COUNTS = "counts_wrong";
  static final String REVIVED = "revived";
  static final String ONCE = "at_most_once_wrong";
  static final String CANCEL = "cancels_undone";

  /**
   * A rule.
   *
   * @param group what it is counted as
   * @param text what violates it
   * @param sql finds that, as one column of text
   */
  record Rule(String group, String text, String sql) {}

  /**
   * A process that provably stood still from before the end until its handler began may have
   * checked before it stood still, and begun after. Between the check and the first line of the
   * handler there is nothing to wait for but a processor. The time allowed for that is the one from
   * which {@link StallWatch} tells of a stall: for longer than that a thread that wants to run does
   * not stand still unnoticed.
   */
  private static final String UNLESS_FROZEN =
      """
       and not exists (select from watch.frozen f
                        where f.replica = b.replica and f.from_at <= e.ended_at
                          and b.begun_at between f.from_at and f.until_at + interval '250 milliseconds')
      """;

  /**
   * Outcomes: 0 SUCCEEDED, 1 RETRIED, 2 SNOOZED, 3 DIED, 5 HANDED_BACK, 6 RESCUED, 7 CRASHED, 8
   * LOST (the job is UNKNOWN), 9 CANCELLED.
   */
  static final List<Rule> ALL =
      List.of(
          new Rule(
              LOST,
              "job has no end",
              """
              select j.id::text from watch.job j
               where not exists (select from storm.job_attempt a where a.job_id = j.id and a.outcome in (0, 3, 7, 8, 9))
              """),
          new Rule(
              LOST,
              "job is still waiting or running",
              """
              select id::text from storm.job_ready union select id::text from storm.job_delayed
              union select id::text from storm.job_blocked union select id::text from storm.job_wait
              union select u.id::text from storm.job_claim c cross join lateral unnest(c.ids, c.runs) as u(id, run)
               where not exists (select from storm.job_attempt a where a.job_id = u.id and a.run = u.run)
              """),
          new Rule(
              LOST,
              "job is in the store and was not added, or the reverse",
              """
              select coalesce(j.id, w.id)::text from storm.job j full join watch.job w on w.id = j.id
               where j.id is null or w.id is null
              """),
          new Rule(
              TWICE,
              "job succeeded more than once",
              "select job_id::text from storm.job_attempt where outcome = 0 group by job_id having count(*) > 1"),
          new Rule(
              TWICE,
              "job went on after its end",
              """
              select a.job_id || ' run ' || b.run from storm.job_attempt a
                join storm.job_attempt b on b.job_id = a.job_id and b.run > a.run
               where a.outcome in (0, 3, 7, 8, 9)
              """),
          new Rule(
              TWICE,
              "run began more than once",
              """
              select job || ' run ' || run from watch.run where word = 'begin' group by job, run having count(*) > 1
              """),
          new Rule(
              BEGAN,
              "handler began after the end of its job",
              """
              select b.job || ' run ' || b.run || ' on ' || b.replica || ', ' || (b.begun_at - e.ended_at)
                       || ' after the end of run ' || e.run
                from watch.run b join storm.job_attempt e on e.job_id = b.job
               where b.word = 'begin' and e.outcome in (0, 3, 7, 8) and b.begun_at > e.ended_at
              """
                  + UNLESS_FROZEN),
          new Rule(
              BEGAN,
              "handler began after others had ended its run",
              """
              select b.job || ' run ' || b.run || ' on ' || b.replica || ', ' || (b.begun_at - e.ended_at) || ' later'
                from watch.run b join storm.job_attempt e on e.job_id = b.job and e.run = b.run
               where b.word = 'begin' and e.outcome in (5, 6) and b.begun_at > e.ended_at
              """
                  + UNLESS_FROZEN),
          new Rule(
              BEGAN,
              "handler began long after its job was called off",
              """
              -- A replica hears of it by a notice. If that is lost, its lease ends soon.
              select b.job || ' run ' || b.run || ' on ' || b.replica || ', ' || (b.begun_at - e.ended_at) || ' later'
                from watch.run b join storm.job_attempt e on e.job_id = b.job
               where b.word = 'begin' and e.outcome = 9 and b.begun_at > e.ended_at + interval '5 seconds'
              """
                  + UNLESS_FROZEN),
          new Rule(
              ONCE,
              "AT_MOST_ONCE job began more than once",
              """
              select job::text from watch.run where kind = 'once' and word = 'begin' group by job having count(*) > 1
              """),
          new Rule(
              ONCE,
              "AT_MOST_ONCE job began, and its run was given to others",
              """
              select r.job || ' run ' || r.run from watch.run r
                join storm.job_attempt a on a.job_id = r.job and a.run = r.run
               where r.kind = 'once' and r.word = 'begin' and a.outcome in (5, 6)
              """),
          new Rule(
              ONCE,
              "job is UNKNOWN, and its handler cannot have begun",
              """
              -- It may have only if its start is on record. If that record is right it has, or was about to.
              select a.job_id || ' run ' || a.run || ' of kind ' || j.kind from storm.job_attempt a
                join watch.job j on j.id = a.job_id
               where a.outcome = 8 and (j.kind <> 'once' or a.started_at is null)
              """),
          new Rule(
              TWICE,
              "transactional job has another number of effects than of successes",
              """
              select j.id || ' has ' || e.effects from watch.job j
               cross join lateral (select count(*) as effects from watch.effect e where e.job = j.id) as e
               where j.kind = 'exact'
                 and e.effects <> (select count(*) from storm.job_attempt a where a.job_id = j.id and a.outcome = 0)
              """),
          new Rule(
              TWICE,
              "effect is not of the run that succeeded",
              """
              select e.job || ' run ' || e.run from watch.effect e
               where not exists (select from storm.job_attempt a
                                  where a.job_id = e.job and a.run = e.run and a.outcome = 0)
              """),
          new Rule(
              ATTEMPTS,
              "job took other attempts, or ended otherwise, than was planned",
              """
              with counted as (
                -- The server ends a session that stands still in the middle of a commit: one attempt more than planned.
                select a.job_id, a.outcome, a.outcome in (1, 3) and j.succeeds and a.attempt >= j.attempts
                         and exists (select from watch.run r where r.job = a.job_id and r.run = a.run and r.word = 'undone')
                         as is_extra
                  from storm.job_attempt a join watch.job j on j.id = a.job_id)
              select j.id || ' took ' || c.attempts || ' of ' || j.attempts
                from watch.job j
                join (select job_id, count(*) filter (where outcome in (0, 1, 3) and not is_extra) as attempts,
                             bool_or(outcome = 0) as succeeded, bool_or(outcome in (7, 8)) as crashed,
                             bool_or(outcome = 3 and is_extra) as undone
                        from counted group by job_id) as c on c.job_id = j.id
               where not exists (select from watch.cancel k where k.id = j.id)
                 and case when c.crashed or c.undone then c.attempts >= j.attempts or c.succeeded
                     else c.attempts <> j.attempts or c.succeeded <> j.succeeds end
              """),
          new Rule(
              ATTEMPTS,
              "attempt is not one more than those that failed before it",
              """
              select job_id || ' run ' || run || ' attempt ' || attempt
                from (select job_id, run, attempt, outcome,
                             1 + count(*) filter (where outcome = 1)
                               over (partition by job_id order by run rows between unbounded preceding and 1 preceding)
                               as expected
                        from storm.job_attempt) as a
               where attempt <> expected
              """),
          new Rule(
              ATTEMPTS,
              "end on record is not what the handler wrote down",
              """
              select a.job_id || ' run ' || a.run || ' outcome ' || a.outcome || ' word ' || coalesce(r.word, 'none')
                from storm.job_attempt a
                left join (select distinct on (job, run) job, run, word from watch.run where word <> 'begin'
                            order by job, run, number desc) as r on r.job = a.job_id and r.run = a.run
               where not case a.outcome
                 -- A handler may not hear that what it did in a transaction was committed.
                 when 0 then coalesce(r.word = 'done' or r.word = 'undone'
                                      and exists (select from watch.effect e where e.job = a.job_id and e.run = a.run), false)
                 when 1 then coalesce(r.word in ('failed', 'threw', 'undone') and a.attempt < 4, false)
                 -- Or its start had to be recorded, as it may run once only or was lost before, and could not: so it did not begin.
                 when 2 then coalesce(r.word = 'snoozed',
                                      not exists (select from watch.run b where b.job = a.job_id and b.run = a.run)
                                      and (exists (select from watch.job j where j.id = a.job_id and j.kind = 'once')
                                           or exists (select from storm.job_attempt b
                                                       where b.job_id = a.job_id and b.run < a.run and b.outcome = 6)))
                 when 3 then coalesce(r.word in ('failed for good', 'threw for good')
                                      or r.word in ('failed', 'threw', 'undone') and a.attempt = 4, false)
                 -- What is thrown by a handler that is asked to stop may be because of that.
                 when 5 then coalesce(r.word in ('interrupted', 'undone', 'threw', 'threw for good'),
                                      not exists (select from watch.run b where b.job = a.job_id and b.run = a.run))
                 when 6 then true
                 when 7 then true
                 when 8 then a.started_at is not null
                 when 9 then true
                 else false end
              """),
          new Rule(
              ATTEMPTS,
              "run has no end on record, or was another attempt there",
              """
              select r.job || ' run ' || r.run from watch.run r
               where not exists (select from storm.job_attempt a
                                  where a.job_id = r.job and a.run = r.run and a.attempt = r.attempt)
              """),
          new Rule(
              ATTEMPTS,
              "claims and ends do not match, one to one",
              """
              select coalesce(c.job, a.job_id) || ' run ' || coalesce(c.run, a.run)
                from (select job, run, min(attempt) as attempt, count(*) as claims from watch.claim group by job, run) as c
                full join storm.job_attempt a on a.job_id = c.job and a.run = c.run
               where c.job is null and a.outcome <> 9 or a.job_id is null or c.claims > 1 or c.attempt <> a.attempt
              """),
          new Rule(
              ATTEMPTS,
              "runs are not numbered from 1 without gaps",
              """
              select job_id::text from storm.job_attempt group by job_id having min(run) <> 1 or max(run) <> count(*)
              """),
          new Rule(
              ATTEMPTS,
              "run began before an earlier one",
              """
              select job || ' run ' || run
                from (select r.job, r.run, r.at, lag(r.at) over (partition by r.job order by r.run) as before
                        from watch.run r join storm.job_attempt a on a.job_id = r.job and a.run = r.run
                       where r.word = 'begin' and not (a.outcome in (6, 7, 9) and r.at >= a.ended_at)) as s
               where at < before
              """),
          new Rule(
              ATTEMPTS,
              "job was given up before its third crash, or not then",
              """
              -- The first counts in any case, those after it if the run began.
              select job_id::text
                from (select job_id, outcome,
                             started_at is not null or row_number() over (partition by job_id order by run) = 1 as counts
                        from storm.job_attempt where outcome in (6, 7)) as a
               group by job_id
              having (count(*) filter (where counts) >= 3) <> bool_or(outcome = 7) or count(*) filter (where counts) > 3
              """),
          new Rule(
              ATTEMPTS,
              "run of a job that was lost before began, and that is not on record",
              """
              select r.job || ' run ' || r.run from watch.run r
                join storm.job_attempt a on a.job_id = r.job and a.run = r.run
               where r.word = 'begin' and a.outcome in (6, 7) and a.started_at is null and r.at < a.ended_at
                 and exists (select from storm.job_attempt b
                              where b.job_id = r.job and b.run < r.run and b.outcome = 6)
              """),
          new Rule(
              ATTEMPTS,
              "dead letter without such an end, or the reverse",
              """
              select coalesce(d.id, a.job_id)::text from storm.job_dead d
                full join (select job_id from storm.job_attempt where outcome in (3, 7)) as a on a.job_id = d.id
               where d.id is null or a.job_id is null
              """),
          new Rule(
              CANCEL,
              "job was called off, and ended otherwise",
              """
              select k.id::text from watch.cancel k
               where k.is_acknowledged
                 and not exists (select from storm.job_attempt a where a.job_id = k.id and a.outcome = 9)
              """),
          new Rule(
              CANCEL,
              "job is called off, and nobody did that",
              """
              select a.job_id::text from storm.job_attempt a
               where a.outcome = 9 and not exists (select from watch.cancel k where k.id = a.job_id)
              """),
          new Rule(
              UNIQUE,
              "two jobs of a key were active at once",
              overlap(
                  """
                  select j.unique_key as key, least(j.known_at, c.at) as began, a.ended_at as ended
                    from watch.job j
                    join storm.job_attempt a on a.job_id = j.id and a.outcome in (0, 3, 7, 8, 9)
                    left join (select job, min(at) as at from watch.claim group by job) as c on c.job = j.id
                   where j.unique_key is not null
                  """,
                  1)),
          new Rule(UNIQUE, "key is still taken", "select job_id::text from storm.job_unique"),
          new Rule(
              UNIQUE,
              "key was refused for a job that has another, or had ended",
              """
              select d.unique_key || ' ' || d.id from watch.duplicate d
               where not exists (select from watch.job j join storm.job_attempt a on a.job_id = j.id
                                  where j.id = d.id and j.unique_key = d.unique_key
                                    and a.outcome in (0, 3, 7, 8, 9) and a.ended_at > d.asked_at - interval '5 seconds')
              """),
          new Rule(
              LIMIT, "too many claimed at once", overlap(claims("limited"), PlannedJobKinds.LIMIT)),
          new Rule(LIMIT, "too many of a key claimed at once", overlap(claims("keyed"), 1)),
          new Rule(LIMIT, "too many ran at once", overlap(runs("limited"), PlannedJobKinds.LIMIT)),
          new Rule(LIMIT, "too many of a key ran at once", overlap(runs("keyed"), 1)),
          new Rule(
              LIMIT,
              "something is still held of a limit",
              """
              select job_id::text from storm.job_limit_hold
              union all select 'limit ' || limit_id || ' key ' || key from storm.job_limit_use where running <> 0
              """),
          new Rule(
              COUNTS,
              "counts of a lane are not what is there",
              """
              select l.id || ' ' || l.kind from storm.job_lane l
                join (select lane, sum(waiting) as waiting, sum(ready) as ready, sum(running) as running,
                             sum(succeeded) as succeeded, sum(dead) as dead
                        from (select lane, waiting, ready, running, succeeded, dead from storm.job_count
                              union all
                              select lane, waiting, ready, running, succeeded, dead from storm.job_count_delta) as d
                       group by lane) as c on c.lane = l.id
                join (select j.lane, count(*) filter (where a.outcome = 0) as succeeded,
                             count(*) filter (where a.outcome in (3, 7)
                                               and not exists (select from watch.purged p where p.id = j.id)) as dead
                        from storm.job j join storm.job_attempt a on a.job_id = j.id group by j.lane) as r on r.lane = l.id
               where c.waiting <> 0 or c.ready <> 0 or c.running <> 0 or c.succeeded <> r.succeeded or c.dead <> r.dead
              """));

  /** What must be found, or the storm was none. */
  static final List<Rule> NEEDED =
      List.of(
          new Rule("", "no unique key was taken", "select unique_key from watch.duplicate"),
          new Rule(
              "",
              "the limit was never reached",
              overlap(claims("limited"), PlannedJobKinds.LIMIT - 1)),
          new Rule(
              "",
              "no run was rescued",
              "select job_id::text from storm.job_attempt where outcome = 6"),
          new Rule(
              "",
              "no run was ended by others while its handler went on",
              """
              select r.job::text from watch.run r join storm.job_attempt a on a.job_id = r.job and a.run = r.run
               where a.outcome = 6 and r.word <> 'begin' and r.at > a.ended_at
              """));

  private StormRules() {}

  /** From claim to end. */
  private static String claims(String kind) {
    return """
    select coalesce(j.limit_key, '') as key, c.at as began, a.ended_at as ended
      from watch.claim c
      join watch.job j on j.id = c.job and j.kind = '%s'
      join storm.job_attempt a on a.job_id = c.job and a.run = c.run
    """
        .formatted(kind);
  }

  /** From the beginning of a handler to its end, as it wrote them down. */
  private static String runs(String kind) {
    return """
    select coalesce(b.key, '') as key, b.at as began,
           case when a.outcome in (6, 7, 9) then least(e.at, a.ended_at) else coalesce(e.at, a.ended_at) end as ended
      from watch.run b
      join storm.job_attempt a on a.job_id = b.job and a.run = b.run
      left join (select job, run, min(at) as at from watch.run where word <> 'begin' group by job, run) as e
        on e.job = b.job and e.run = b.run
     where b.word = 'begin' and b.kind = '%s'
    """
        .formatted(kind);
  }

  /** Finds moments at which more intervals of a key overlap than allowed. */
  private static String overlap(String intervals, int most) {
    return """
    with span as (select * from (%s) as s where s.began < s.ended),
    step as (select key, began as at, 1 as change from span union all select key, ended, -1 from span),
    level as (select key, at, change,
                     sum(change) over (partition by key order by at, change rows unbounded preceding) as running
                from step)
    select 'key "' || key || '" had ' || running || ' at ' || at from level where change > 0 and running > %d
    """
        .formatted(intervals, most);
  }
}
