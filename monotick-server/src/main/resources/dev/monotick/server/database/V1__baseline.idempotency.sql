-- Answers to requests that carried an Idempotency-Key. Inserted before the work, in its transaction: of two
-- first calls at the same time one waits for the other, and then finds its answer.

create table @idempotency (
  tenant      text        not null,
  key         text        not null,
  request     bytea       not null,  -- hash of caller, method, path and body
  status      integer,
  headers     jsonb,
  body        text,
  created_at  timestamptz not null default now(),
  primary key (tenant, key)
);
create index idempotency_created on @idempotency (created_at);
