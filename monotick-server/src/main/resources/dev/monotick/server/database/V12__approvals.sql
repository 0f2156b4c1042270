-- Which key speaks for an agent, and who may approve a job.
-- min_code_version: 1

alter table @api_key add column agent text check (agent is null or role = 'AGENT'); -- the only one it speaks for
create index api_key_agent on @api_key (tenant, agent) where agent is not null;

-- Who speaks for it: key/ID or user/SUBJECT; null until somebody does.
alter table @agent add column bound_to text;
create index agent_bound_to on @agent (tenant, bound_to) where bound_to is not null;

-- Jobs about which others may decide too when nobody has for a while.
create table @job_escalation (
  job_id        bigint      not null primary key,
  tenant        text        not null,
  after_millis  bigint      not null,
  decided_by    text[]      not null, -- those others: key/ID, user/SUBJECT, role/ROLE
  escalated     integer,              -- in which round of the job; asked anew, it is another
  escalated_at  timestamptz
);
