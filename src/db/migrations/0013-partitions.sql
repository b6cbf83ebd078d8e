-- migration: one by one
-- The growing tables are divided by the time in their ids (docs/decisions/0037-partitions.md): what is old goes by dropping a table. Each
-- statement divides one of them, in a few milliseconds: the table that there was becomes the first partition.
-- Two tables, and three columns, get the names that the code has for them. Views have the old ones, for code of before.

-- The first partition ends at the bound, and the last one begins there and never ends. src/db/partitions.ts goes on from there, and
-- gives each new partition what the last one has.
create or replace function pg_temp.divide(parent text, options text) returns void language plpgsql as $$
declare
  bound text := (select value from settings where name = 'first_partition_until');
begin
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, parent || '_first', bound);
  execute format('alter table %I drop constraint is_of_first_partition', parent || '_first');
  execute format('create table %I partition of %I for values from (%L) to (maxvalue)', parent || '_last', parent, bound);
  -- Vacuum comes after so many rows: a share of a large table would be hours of bloat, and a share of a small one comes all the time.
  execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, %s)', parent || '_first', options);
  execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, %s)', parent || '_last', options);
end $$;

-- Of what is only ever written once. The vacuum that comes after so many new rows also freezes them: what is in a closed partition is
-- not read again when the ids of transactions come round.
create or replace function pg_temp.written_once() returns text language sql as $$
  select 'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000, autovacuum_freeze_min_age = 0'
$$;

do $$
begin
  if exists (select from pg_partitioned_table where partrelid = 'emails'::regclass) then return; end if;
  alter table emails rename to emails_first;
  alter index emails_pkey rename to emails_first_pkey;
  alter index emails_status rename to emails_first_status;
  alter index emails_sender rename to emails_first_sender;
  -- The changing half of an email. `id` is a UUIDv7 of `created_at`: the primary key is also the order of the list.
  create table emails (
    project_id uuid not null,
    id uuid not null,
    created_at timestamptz not null,
    -- as the caller gave it
    sender text not null,
    -- its address in normal form, for the filter of the list
    sender_address text not null,
    to_list text[] not null,
    subject text not null,
    tags text[] not null,
    -- index into EMAIL_STAGES of src/model/email-status.ts, as all stages below
    status smallint not null default 0,
    -- the highest of queued, sending, sent
    reached smallint not null default 0,
    -- per recipient, in the order of email_recipients: its highest stage from delivered on, else 0. It stands here, not with
    -- the recipient, so that locking this one row makes the status a pure function of what was read.
    stages smallint[] not null,
    primary key (project_id, id)
  ) partition by range (id);
  create index emails_status on emails (project_id, status, id);
  create index emails_sender on emails (project_id, sender_address, id);
  perform pg_temp.divide('emails', 'fillfactor = 90');
end $$;

do $$
declare
  part text;
begin
  if exists (select from pg_partitioned_table where partrelid = 'email_contents'::regclass) then return; end if;
  alter table email_contents rename to email_contents_first;
  alter index email_contents_pkey rename to email_contents_first_pkey;
  -- The half that never changes.
  create table email_contents (
    project_id uuid not null,
    email_id uuid not null,
    cc text[] not null,
    bcc text[] not null,
    reply_to text,
    headers json,
    html text,
    text text,
    -- Null: nothing is tracked. What stood when the email was accepted: every attempt carries the same links.
    tracking json,
    -- W3C traceparent of the accepting request, where somebody traces
    trace_parent text,
    stream stream not null default 'transactional',
    primary key (project_id, email_id)
  ) partition by range (email_id);
  perform pg_temp.divide('email_contents', pg_temp.written_once());
  -- Bodies are compressed, and stay in line up to a page. Nobody asks for parts of them by their content: sampling them costs more
  -- than all the rest of an analyze.
  alter table email_contents alter column html set storage main, alter column text set storage main,
    alter column html set statistics 0, alter column text set statistics 0;
  foreach part in array array['email_contents_first', 'email_contents_last'] loop
    execute format('alter table %I reset (toast_tuple_target)', part);
    -- A PostgreSQL that was built without it, as the embedded one, compresses in its older way, which takes 13 microseconds more for 2 kB.
    if (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') then
      execute format('alter table %I alter column html set compression lz4, alter column text set compression lz4', part);
    end if;
  end loop;
end $$;

do $$
begin
  if exists (select from pg_partitioned_table where partrelid = 'email_tags'::regclass) then return; end if;
  alter table email_tags rename to email_tags_first;
  alter index email_tags_pkey rename to email_tags_first_pkey;
  -- A row for each tag of an email. `emails.tags` has them as given.
  create table email_tags (
    project_id uuid not null,
    tag text not null,
    email_id uuid not null,
    primary key (project_id, tag, email_id)
  ) partition by range (email_id);
  perform pg_temp.divide('email_tags', pg_temp.written_once());
end $$;

do $$
begin
  if to_regclass('email_recipients') is not null then return; end if;
  alter table recipients rename to email_recipients_first;
  alter table email_recipients_first rename column n to recipient_index;
  alter table email_recipients_first rename column epoch to lease_id;
  alter table email_recipients_first rename column in_hand to in_flight;
  alter index recipients_pkey rename to email_recipients_first_pkey;
  alter index recipients_address rename to email_recipients_first_address;
  alter index recipients_due rename to email_recipients_first_due;
  alter index recipients_suspect rename to email_recipients_first_suspect;
  alter index recipients_parked rename to email_recipients_first_parked;
  alter index recipients_lease rename to email_recipients_first_lease;
  -- One row per address of the envelope: the queue. A row with `next_attempt_at` has work left.
  create table email_recipients (
    project_id uuid not null,
    email_id uuid not null,
    -- position in the envelope, from 0
    recipient_index smallint not null,
    -- in normal form
    address text not null,
    -- about the size of the message: workers bound by it what is in flight
    octets int not null,
    attempts smallint not null default 0,
    -- how often a worker died with this row in flight since the last attempt that came to an end
    crashes smallint not null default 0,
    next_attempt_at timestamptz,
    -- of the worker that holds the row
    lease_id uuid,
    in_flight boolean not null default false,
    -- Set while the row is parked: then next_attempt_at is infinity, and the destination says when.
    destination text,
    stream stream not null default 'transactional',
    primary key (project_id, email_id, recipient_index)
  ) partition by range (email_id);
  create index email_recipients_address on email_recipients (project_id, address, email_id);
  -- A worker goes from stream to stream, and finds in each what is due the longest. What is parked is not in it.
  create index email_recipients_due on email_recipients (project_id, stream, next_attempt_at) where next_attempt_at < 'infinity';
  create index email_recipients_suspect on email_recipients (next_attempt_at) where next_attempt_at is not null and crashes >= 2;
  -- The same for what is parked for a destination.
  create index email_recipients_parked on email_recipients (destination, project_id, stream, email_id, recipient_index)
    where next_attempt_at = 'infinity';
  -- What a lease holds: whoever ends it takes back its rows without looking at anybody else's.
  create index email_recipients_lease on email_recipients (lease_id) where lease_id is not null;
  -- A page has room for a new version of each of its rows, so that a claim stays off the indexes.
  perform pg_temp.divide('email_recipients', 'fillfactor = 50');
  create view recipients as
    select project_id, email_id, recipient_index as n, address, octets, attempts, crashes, next_attempt_at, lease_id as epoch,
           in_flight as in_hand, destination, stream
    from email_recipients;
end $$;

do $$
begin
  if exists (select from pg_partitioned_table where partrelid = 'events'::regclass) then return; end if;
  alter table events rename to events_first;
  alter index events_pkey rename to events_first_pkey;
  alter index events_email rename to events_first_email;
  alter table events_first drop constraint events_first_pkey;
  -- The timeline: only ever appended to. `id` is a UUIDv7 and gives the order and the time.
  create table events (
    project_id uuid not null,
    email_id uuid not null,
    id uuid not null,
    type text not null,
    recipient text,
    detail json
  ) partition by range (email_id);
  -- No primary key: nobody looks for an event but with its email, and its entries would be four times the bytes.
  create index events_email on events (project_id, email_id);
  perform pg_temp.divide('events', pg_temp.written_once());
end $$;

do $$
begin
  if to_regclass('deliveries') is not null then return; end if;
  alter table webhook_deliveries rename to deliveries_first;
  alter table deliveries_first rename column epoch to lease_id;
  alter table deliveries_first rename constraint webhook_deliveries_status_check to deliveries_status_check;
  alter index webhook_deliveries_pkey rename to deliveries_first_pkey;
  alter index webhook_deliveries_due rename to deliveries_first_due;
  -- One row per webhook and event: the queue of the webhooks and their log. A pending row is due at next_attempt_at; while
  -- an attempt runs that is the moment when its worker is taken for dead. The body that is sent is a function of
  -- event and email and is not stored.
  create table deliveries (
    project_id uuid not null,
    webhook_id uuid not null,
    id uuid not null,
    event_id uuid not null,
    -- null: the test event
    email_id uuid,
    type text not null,
    status text not null default 'pending',
    attempts smallint not null default 0,
    max_attempts smallint not null default 12,
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    delivered_at timestamptz,
    http_status smallint,
    error text,
    duration_ms int,
    -- at most 4 KB
    response_body text,
    response_truncated boolean not null default false,
    -- Of the process that claimed it: while it lives, it may have an answer that is not written yet.
    lease_id uuid,
    constraint deliveries_status_check check (status in ('pending', 'delivered', 'failed')),
    primary key (project_id, webhook_id, id)
  ) partition by range (id);
  create index deliveries_due on deliveries (webhook_id, next_attempt_at, id) where status = 'pending';
  perform pg_temp.divide('deliveries', 'fillfactor = 90');
  create view webhook_deliveries as
    select project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, next_attempt_at, last_attempt_at, delivered_at,
           http_status, error, duration_ms, response_body, response_truncated, lease_id as epoch
    from deliveries;
end $$;

do $$
begin
  if exists (select from pg_partitioned_table where partrelid = 'sandbox_messages'::regclass) then return; end if;
  alter table sandbox_messages rename to sandbox_messages_first;
  alter index sandbox_messages_pkey rename to sandbox_messages_first_pkey;
  -- What the sandbox provider was handed.
  create table sandbox_messages (
    project_id uuid not null,
    email_id uuid not null,
    message bytea not null,
    created_at timestamptz not null,
    primary key (project_id, email_id)
  ) partition by range (email_id);
  perform pg_temp.divide('sandbox_messages', pg_temp.written_once());
end $$;

do $$
begin
  if to_regclass('leases') is not null then return; end if;
  alter table workers rename to leases;
  alter table leases rename column epoch to lease_id;
  alter index workers_pkey rename to leases_pkey;
  create view workers as select lease_id as epoch, heartbeat_at, name, holds from leases;
end $$;

delete from settings where name = 'first_partition_until';
