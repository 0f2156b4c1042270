-- Rate limits shared by all replicas, and who has given wrong keys. Unlogged: after a crash of the database they begin
-- anew, which costs nobody anything, and until then they are the cheapest tables there are.

-- A bucket that is full has no row, or one that clean-up may remove.
create unlogged table @rate_limit (
  limiter  text    not null,
  key      text    not null,
  tat      bigint  not null, -- when the bucket is full again, in nanoseconds since 1970 of this server
  granted  bigint  not null, -- to the last who asked
  primary key (limiter, key)
) with (fillfactor = 50);

create unlogged table @failed_login (
  address   text        not null primary key,
  failures  integer     not null,
  last_at   timestamptz not null,
  until     timestamptz -- nothing from there is looked at before
);
