-- Approvals of jobs.

-- Approvals of jobs that need more than one. A new request starts a new round, in which earlier approvals do not count.
create table @job_approver (
  job_id  bigint      not null,
  round   integer     not null,
  by_id   text        not null,
  by      text        not null,
  note    text        not null,
  at      timestamptz not null default now(),
  primary key (job_id, round, by_id)
);

-- Jobs whose approval is escalated to others if it is overdue.
create table @job_escalation (
  job_id        bigint      not null primary key,
  tenant        text        not null,
  after_millis  bigint      not null,
  decided_by    text[]      not null, -- the others: key/ID, user/SUBJECT, role/ROLE
  escalated     integer,              -- round of approvals that was escalated
  escalated_at  timestamptz
);
