-- The queue that email_recipients was for code of before. What that code left last is taken over with everybody locked out.
lock table email_recipients in access exclusive mode;
drop trigger keep_destination on destinations;
drop function keep_destination;
drop trigger give_back_queue on processes;
drop function give_back_queue;

-- By the indexes of what waits: the tables are large.
set local enable_seqscan = off;
with old as (
  select r.project_id, r.email_id, r.recipient_index, r.stream, r.address, r.octets, r.attempts, r.next_attempt_at, r.destination,
         least(r.crashes + r.in_flight::int, 4) as crashes
  from (
    select * from email_recipients where next_attempt_at < 'infinity'
    union all
    select * from email_recipients where next_attempt_at = 'infinity'
  ) r
), moved as (
  update email_recipients r set crashes = 0 from old
  where r.project_id = old.project_id and r.email_id = old.email_id and r.recipient_index = old.recipient_index
)
insert into queue (project_id, email_id, recipient_index, stream, address, octets, attempts, crashes, next_attempt_at, destination)
select project_id, email_id, recipient_index, stream, address, octets, attempts, crashes, next_attempt_at, destination from old
on conflict do nothing;
set local enable_seqscan = on;

drop index email_recipients_due, email_recipients_suspect, email_recipients_parked, email_recipients_lease;
alter table email_recipients
  drop column octets, drop column attempts, drop column next_attempt_at, drop column lease_id, drop column in_flight, drop column destination,
  drop column stream;

-- It is only ever written once, but for who was given up: what is in a closed partition is frozen, and not read again.
do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'email_recipients'::regclass loop
    execute format('alter table %s set (fillfactor = 100, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000,
      autovacuum_freeze_min_age = 0)', part);
  end loop;
end $$;
