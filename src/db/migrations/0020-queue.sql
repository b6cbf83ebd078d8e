-- The queue of recipients is a table of its own (docs/decisions/0037-partitions.md): a row per recipient that has work left, gone when nothing is
-- left. `email_recipients` keeps what outlives it. Code of before works in the columns that it has there;
-- 0029-recipients-are-written-once.sql takes over what it left.

create table queue (
  -- `infinity`: the row is parked, and its destination says when
  next_attempt_at timestamptz not null default now(),
  -- about the size of the message: workers bound by it what is in flight
  octets int not null,
  stream stream not null,
  recipient_index smallint not null,
  attempts smallint not null default 0,
  -- how often a worker died with this row in flight since the last attempt that came to an end
  crashes smallint not null default 0,
  in_flight boolean not null default false,
  email_id uuid not null,
  project_id uuid not null,
  -- of the worker that holds the row
  lease_id uuid,
  -- in normal form
  address text not null,
  -- Set while the row is parked.
  destination text,
  -- An email's id is the time of it: what waits from before a time is found here too.
  primary key (email_id, recipient_index)
-- A page has room for a new version of each of its rows. Each row dies within seconds: dead ones may not become many times those that live,
-- and nobody waits while vacuum gives the end of the file back.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
-- A worker goes from stream to stream, and finds in each what is due the longest. What is parked is not in it.
create index queue_due on queue (project_id, stream, next_attempt_at) where next_attempt_at < 'infinity';
create index queue_suspect on queue (next_attempt_at) where crashes >= 2;
-- The same for what is parked for a destination.
create index queue_parked on queue (destination, project_id, stream, email_id, recipient_index) where next_attempt_at = 'infinity';
-- What a lease holds: whoever ends it takes back its rows without looking at anybody else's.
create index queue_lease on queue (lease_id) where lease_id is not null;

-- Code of now does not say how large a recipient's message is.
alter table email_recipients alter column octets set default 0;

-- Each code removes the row of a destination when nothing of its own is parked for it: not while something of the other's is. Whoever asked
-- may have put the row off for as long as a try takes.
create function keep_destination() returns trigger language plpgsql as $$
begin
  if exists (select from queue where destination = old.name and next_attempt_at = 'infinity')
    or exists (select from email_recipients where destination = old.name and next_attempt_at = 'infinity') then
    update destinations set next_attempt_at = now() + interval '1 second' where name = old.name;
    return null;
  end if;
  return old;
end $$;
create trigger keep_destination before delete on destinations for each row execute function keep_destination();

-- The way back: where code of before is at work, and none of now was heard of for a minute, it gets back what waits here, so many rows with each
-- heartbeat. Who was in flight under a lease that is over counts a crash, but for the fifth: by that one knows who was given up.
create function give_back_queue() returns trigger language plpgsql as $$
declare
  over uuid[];
begin
  if exists (select from processes where version <> '0.1.0' and heartbeat_at > now() - interval '1 minute') then return null; end if;
  over := array(
    select distinct lease_id from queue q
    where lease_id is not null and not exists (select from leases l where l.lease_id = q.lease_id)
  );
  with free as (
    select email_id, recipient_index from queue
    where lease_id is null or lease_id = any(over)
    limit 2000 for update skip locked
  ), given as (
    delete from queue q using free where q.email_id = any(array(select email_id from free)) and q.email_id = free.email_id and q.recipient_index = free.recipient_index returning q.*
  )
  update email_recipients r set next_attempt_at = g.next_attempt_at, octets = g.octets, stream = g.stream, attempts = g.attempts,
    crashes = least(g.crashes + g.in_flight::int, 4), destination = g.destination
  from given g
  where r.project_id = g.project_id and r.email_id = g.email_id and r.recipient_index = g.recipient_index;
  return null;
end $$;
create trigger give_back_queue after insert or update on processes for each row when (new.version = '0.1.0')
  execute function give_back_queue();
