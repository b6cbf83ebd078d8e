-- A webhook delivery that is not over is a row of a small table (docs/decisions/0037-partitions.md). Once it is over it is a row of the log,
-- `deliveries`, which is written once. Code of before has both in the log, and finds its work there by `deliveries_due`;
-- 0028-deliveries-are-written-once.sql takes over what it left.

-- It is due at next_attempt_at; while an attempt runs that is the moment when its worker is taken for dead.
create table due_deliveries (
  project_id uuid not null,
  webhook_id uuid not null,
  id uuid primary key,
  event_id uuid not null,
  email_id uuid not null,
  next_attempt_at timestamptz not null,
  last_attempt_at timestamptz,
  -- Of the process that claimed it: while it lives, it may have an answer that is not written yet.
  lease_id uuid,
  attempts smallint not null default 0,
  max_attempts smallint not null default 12,
  type text not null,
  -- how the last attempt ended, if it did
  http_status smallint,
  error text,
  duration_ms int,
  -- at most 4 KB
  response_body text,
  response_truncated boolean not null default false
-- Most rows die within seconds: dead ones may not become many times those that live, and nobody waits while vacuum gives the end of the
-- file back.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
-- Without "id": a table that is empty now and long in a minute is planned for as if it were empty, and then what looks for an id finds
-- nothing but the primary key to go by.
create index due_deliveries_next on due_deliveries (webhook_id, next_attempt_at, event_id);

-- The way back: where code of before is at work, and none of now was heard of for a minute, it gets back what waits here, so many rows with each
-- heartbeat. Whoever had claimed them is over.
create function give_back_deliveries() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from processes where version <> '0.1.0' and heartbeat_at > now() - interval '1 minute') then return null; end if;
  with free as (
    select id from due_deliveries d
    where lease_id is null or not exists (select from leases l where l.lease_id = d.lease_id)
    limit 2000 for update skip locked
  ), given as (
    delete from due_deliveries where id = any (array(select id from free)) returning *
  )
  insert into deliveries (project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, next_attempt_at, last_attempt_at,
    http_status, error, duration_ms, response_body, response_truncated)
  select project_id, webhook_id, id, event_id, email_id, type, 'pending', attempts, max_attempts, next_attempt_at, last_attempt_at,
    http_status, error, duration_ms, response_body, response_truncated
  from given;
  return null;
end $$;
create trigger give_back_deliveries after insert or update on processes for each row when (new.version = '0.1.0')
  execute function give_back_deliveries();
