-- Who did what. A chain per tenant: each row carries the hash of the one before it.

-- The end of each chain. Whoever appends locks this row, so numbers have no gaps and no fork can arise.
create table @audit_chain (
  tenant  text   not null primary key,  -- empty for what concerns the whole installation
  seq     bigint not null default 0,
  hash    bytea  not null default ''
) with (fillfactor = 50); -- updated by all that is done: room for the new version on the same page

create table @audit_event (
  tenant      text        not null,
  seq         bigint      not null,
  at          timestamptz not null,
  actor       text        not null,
  actor_type  text        not null check (actor_type in ('KEY', 'USER', 'AGENT', 'SYSTEM')),
  action      text        not null,
  subject     text        not null,
  detail      text        not null default '{}', -- JSON as it was hashed, letter by letter
  previous    bytea       not null,
  hash        bytea       not null,
  primary key (tenant, seq)
);
create index audit_event_subject on @audit_event (tenant, subject, seq);

-- What was verified, so that a check goes on where the last one ended, and what retention may remove.
-- Once rows were removed, the checkpoint before the first that is left is where the chain begins.
create table @audit_checkpoint (
  tenant   text        not null,
  seq      bigint      not null,
  hash     bytea       not null,
  at       timestamptz not null default now(),
  primary key (tenant, seq)
);

create function @audit_refuse() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('monotick.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit is never changed or deleted' using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_event_append_only before update or delete on @audit_event
  for each row execute function @audit_refuse();
create trigger audit_event_no_truncate before truncate on @audit_event
  for each statement execute function @audit_refuse();
create trigger audit_checkpoint_append_only before update or delete on @audit_checkpoint
  for each row execute function @audit_refuse();
create trigger audit_checkpoint_no_truncate before truncate on @audit_checkpoint
  for each statement execute function @audit_refuse();
