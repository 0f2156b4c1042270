package dev.monotick.chaos.storm;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Tables in which the storm is written down, beside those of the store. Rows are only ever added.
 * They have no keys: what should not be there twice must be able to.
 */
final class StormTables {

  /** Schema of the store. */
  static final String STORE = "storm";

  private static final String TABLES =
      """
      create schema watch;

      -- What was added, and what must become of it.
      create table watch.job (
        id          bigint      not null,
        kind        text        not null,
        unique_key  text,
        limit_key   text,
        attempts    integer     not null, -- how many it must take
        succeeds    boolean     not null,
        known_at    timestamptz not null default clock_timestamp() -- it was there by then
      );

      -- What was not added, because another job had the key.
      create table watch.duplicate (
        id          bigint      not null, -- that job
        unique_key  text        not null,
        asked_at    timestamptz not null
      );

      -- What handlers did: each begins, and ends by a word.
      create table watch.run (
        number   bigint      not null generated always as identity,
        at       timestamptz not null default clock_timestamp(),
        job      bigint      not null,
        run      integer     not null,
        attempt  integer     not null,
        replica  text        not null,
        kind     text        not null,
        key      text,
        word     text        not null,
        begun_at timestamptz -- of a beginning: the wall clock in the first line of the handler
      );

      -- When the process of a replica provably stood still, or could not know what it should: an excuse.
      create table watch.frozen (
        replica   text        not null,
        why       text        not null,
        from_at   timestamptz not null,
        until_at  timestamptz not null
      );

      -- When packets between a replica and the server were dropped.
      create table watch.loss (
        replica   text        not null,
        from_at   timestamptz not null,
        until_at  timestamptz not null
      );

      -- When replicas joined, and when they were found to be gone.
      create table watch.member (
        at       timestamptz not null default clock_timestamp(),
        id       uuid        not null,
        replica  text        not null,
        joined   boolean     not null
      );
      create function watch.note_member() returns trigger language plpgsql as $$
      begin
        insert into watch.member (id, replica, joined) values (new.id, new.name, new.gone_at is null);
        return null;
      end
      $$;
      create trigger note_joined after insert on storm.replica
        for each row execute function watch.note_member();
      create trigger note_changed after update of gone_at on storm.replica
        for each row when (old.gone_at is distinct from new.gone_at) execute function watch.note_member();

      -- By which error completions are refused now; none if there is no row.
      create table watch.refusal (
        state  text not null
      );
      -- How many completions were refused by each error.
      create sequence watch.refused_42501;
      create sequence watch.refused_22003;
      create sequence watch.refused_23514;
      create sequence watch.refused_0a000;
      create sequence watch.refused_3f000;
      create function watch.refuse() returns trigger language plpgsql as $$
      declare
        refused  text := (select state from watch.refusal limit 1);
      begin
        if refused is not null then
          perform nextval(format('watch.%I', 'refused_' || lower(refused))::regclass); -- survives the rollback
          raise exception 'refused by the storm' using errcode = refused;
        end if;
        return new;
      end
      $$;
      -- Those of handlers: SUCCEEDED, RETRIED, SNOOZED, DIED. Others rescue and cancel meanwhile.
      create trigger refuse before insert on storm.job_attempt
        for each row when (new.outcome < 4) execute function watch.refuse();

      -- What was called off.
      create table watch.cancel (
        id               bigint  not null,
        is_acknowledged  boolean not null -- it was not over until then
      );

      -- Dead letters that were purged, and what the store knew of them.
      create table watch.purged (
        id         bigint  not null,
        is_silent  boolean not null -- a replica that had a run of it could not hear of the purge
      );
      create table watch.purged_job (like storm.job);
      create table watch.purged_attempt (like storm.job_attempt);
      create table watch.purged_dead (like storm.job_dead);

      -- Written by jobs in the transactions that they succeed in.
      create table watch.effect (
        job  bigint  not null,
        run  integer not null
      );

      -- What was claimed, and when; the store forgets that.
      create table watch.claim (
        at       timestamptz not null,
        job      bigint      not null,
        run      integer     not null,
        attempt  integer     not null,
        handed   boolean     not null -- claimed in the transaction that added the job: a hand-off
      );
      create function watch.note_claim() returns trigger language plpgsql as $$
      begin
        insert into watch.claim (at, job, run, attempt, handed)
        select clock_timestamp(), u.id, u.run, u.attempt,
               u.run = 1 and cardinality(new.ids) = 1
                 and exists (select from storm.job j where j.id = u.id and j.xmin = pg_current_xact_id()::xid)
          from unnest(new.ids, new.runs, new.attempts) as u(id, run, attempt);
        return null;
      end
      $$;
      create trigger note_claim after insert on storm.job_claim
        for each row execute function watch.note_claim();
      """;

  private StormTables() {}

  /** Creates the tables; those of the store are there. */
  static void create(Connection connection, String schema) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(in(schema, TABLES));
    }
  }

  /** Returns a statement on the tables of {@link #STORE} as one on those of another schema. */
  static String in(String schema, String sql) {
    return sql.replace(STORE + ".", schema + ".");
  }
}
