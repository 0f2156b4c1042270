-- Secrets of targets, encrypted.

create table @secret (
  tenant      text        not null,
  name        text        not null,
  version     bigint      not null default 1,
  key_id      text        not null,  -- which of the operator's keys encrypted it
  sealed      bytea       not null,  -- nonce, then the value under AES-256-GCM, bound to tenant and name
  created_at  timestamptz not null default now(),
  changed_at  timestamptz not null default now(),
  changed_by  text        not null,
  primary key (tenant, name)
);
