-- migration: serves from 0.2.0
-- Once this has run, workers set the usual status (src/queue/usual-status.ts): a new email then has the `status` that most emails end with. Older code
-- shows an email that is not sent yet with that status, so this waits until no older code is running.

-- A page has space for new versions of more than half of its emails. New partitions are made like the last one.
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'emails'::regclass loop
    execute format('alter table %s set (fillfactor = 60)', partition);
  end loop;
end $$;
