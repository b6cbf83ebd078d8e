-- migration: one by one
-- What there is becomes the first partition of each growing table. A check tells beforehand that it ends at a bound: then
-- attaching it need not read it.

-- PostgreSQL 18 may crash where it leaves out partitions while a statement runs (src/db/database.ts). Code of before opens its sessions
-- without knowing that.
do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    execute format('alter database %I set enable_partition_pruning = off', current_database());
  end if;
exception when insufficient_privilege then
  -- Another role than the owner of the database may migrate. Code of now turns it off for each of its sessions.
  null;
end $$;

-- A session that is open already does not see that. So each of code of before ends where it is between two statements, as when the
-- database was restarted, and the next statement opens another one. One that is never idle for five seconds stays as it is.
do $$
declare
  again boolean := current_setting('server_version_num')::int >= 180000;
begin
  for tries in 1..100 loop
    exit when not again;
    perform pg_stat_clear_snapshot();
    select count(case when state = 'idle' then pg_terminate_backend(pid) end) < count(*) into again from pg_stat_activity
    where datname = current_database() and usename = current_user and application_name = 'posthorn' and backend_start < now();
    if again then perform pg_sleep(0.05); end if;
  end loop;
end $$;

-- The bound. Beyond it nothing can be written before there are partitions, so where the upgrade is broken off somebody has a
-- week to look after it. A clock that was ahead may have left ids beyond that: they count too.
insert into settings (name, value)
select 'first_partition_until', substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-000000000000'
from (
  select case when count(id) = 0 then date_trunc('day', now(), 'UTC') else date_trunc('day', greatest(
      now(), to_timestamp(max(('x' || replace(left(id::text, 13), '-', ''))::bit(48)::bigint) / 1000.0)
    ), 'UTC') + interval '7 days' end as until
  from (
    (select id from emails order by id desc limit 1) union all (select id from webhook_deliveries order by id desc limit 1)
  ) newest
) bound, lateral (select lpad(to_hex((extract(epoch from until) * 1000)::bigint), 12, '0') as ms) time
on conflict (name) do nothing;

-- What is written from here on is checked; what is there is not looked at yet.
do $$
declare
  key record;
begin
  for key in select * from (values ('emails', 'id'), ('email_contents', 'email_id'), ('email_tags', 'email_id'), ('recipients', 'email_id'),
    ('events', 'email_id'), ('webhook_deliveries', 'id'), ('sandbox_messages', 'email_id')) keys (of_table, name)
  loop
    continue when exists (select from pg_constraint where conrelid = key.of_table::regclass and conname = 'is_of_first_partition');
    execute format('alter table %I add constraint is_of_first_partition check (%I < %L) not valid', key.of_table, key.name,
      (select value from settings where name = 'first_partition_until'));
  end loop;
end $$;

-- This reads the tables, and nobody waits for it.
alter table emails validate constraint is_of_first_partition;
alter table email_contents validate constraint is_of_first_partition;
alter table email_tags validate constraint is_of_first_partition;
alter table recipients validate constraint is_of_first_partition;
alter table events validate constraint is_of_first_partition;
alter table webhook_deliveries validate constraint is_of_first_partition;
alter table sandbox_messages validate constraint is_of_first_partition;
