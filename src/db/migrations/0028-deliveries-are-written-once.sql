-- The queue that `deliveries` was for code of before.
lock table deliveries in access exclusive mode;
drop trigger give_back_deliveries on processes;
drop function give_back_deliveries;

-- What that code left last: sending may have been paused since. By the index, as the table is large.
set local enable_seqscan = off;
with taken as (
  delete from deliveries where status = 'pending' returning *
)
insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, attempts, max_attempts, next_attempt_at, last_attempt_at,
  http_status, error, duration_ms, response_body, response_truncated)
select project_id, webhook_id, id, event_id, email_id, type, attempts, max_attempts, coalesce(next_attempt_at, now()), last_attempt_at,
  http_status, error, duration_ms, response_body, response_truncated
from taken;
set local enable_seqscan = on;

drop index deliveries_due;
alter table deliveries drop column next_attempt_at, drop column lease_id, alter column status drop default;

-- What is in a closed partition is frozen, and not read again.
do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'deliveries'::regclass loop
    execute format('alter table %s set (fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000,
      autovacuum_freeze_min_age = 0)', part);
  end loop;
end $$;
