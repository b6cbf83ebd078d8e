-- What mailboxes send: by mail apps, and what is sent for them. It is in the queue like emails, in a stream of its own, and in no list of the API.
alter type stream add value if not exists 'mailbox';

create table submissions (
  project_id uuid not null,
  -- in the queue it is the email_id
  id uuid not null,
  mailbox_id uuid not null,
  -- submitted: by its owner; else what it was sent for
  kind text not null,
  -- null: reports come back to the mailbox; empty: nobody is told
  reverse_path text,
  -- in normal form, of the From field
  from_address text not null,
  -- whose keys sign it, in A-labels
  from_domain text not null,
  message_id text not null,
  -- of its bytes as they go out but for the signature, in blobs
  digest bytea not null,
  octets int not null,
  -- it needs SMTPUTF8 (RFC 6531)
  is_utf8 boolean not null,
  -- ENVID and RET (RFC 3461)
  envelope_id text,
  returns text check (returns in ('full', 'headers')),
  recipients int not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
-- What a mailbox has sent in a day.
create index submissions_mailbox on submissions (project_id, mailbox_id, id) include (recipients, kind);
-- For whoever wants to delete a blob.
create index submissions_digest on submissions (project_id, digest);
-- What is old enough to go.
create index submissions_age on submissions (id);

create table submission_recipients (
  project_id uuid not null,
  submission_id uuid not null,
  recipient_index smallint not null,
  -- 1 success, 2 failure, 4 delay (RFC 3461, section 4.1); 0: never
  notify smallint not null,
  -- a DSN is to be made of how it ended
  notice_due boolean not null default false,
  -- in normal form
  address text not null,
  -- ORCPT as it was given
  original_recipient text,
  -- null: work is left; relayed: a server on the way has it
  outcome text check (outcome in ('delivered', 'relayed', 'failed')),
  -- what was said last, as timelines tell it
  detail json,
  ended_at timestamptz,
  -- its sender was told that it waits
  delay_told_at timestamptz,
  primary key (project_id, submission_id, recipient_index)
) with (fillfactor = 70);
create index submission_recipients_notices on submission_recipients (project_id, submission_id) where notice_due;

-- What a login has sent within a day: who lost the answer may send it again.
create table submission_keys (
  project_id uuid not null,
  -- a mailbox or an API key
  login uuid not null,
  -- of the message and its envelope
  fingerprint bytea not null,
  submission_id uuid not null,
  created_at timestamptz not null,
  primary key (project_id, login, fingerprint)
);
create index submission_keys_created on submission_keys (created_at);

-- How many of a month's submissions were there and were deleted, for the plans.
create table deleted_submissions (
  project_id uuid not null,
  -- its first day, UTC
  month date not null,
  submissions bigint not null,
  primary key (project_id, month)
);

-- What is sent is also put into Sent, for mail apps that do not.
alter table mailboxes add column save_sent boolean not null default false;

-- Code of before knows no mail of mailboxes: that waits for code of now.
do $$ begin
  if to_regproc('give_back_queue') is null then return; end if;
  create or replace function give_back_queue() returns trigger language plpgsql as $body$
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
      where (lease_id is null or lease_id = any(over)) and stream::text <> 'mailbox'
      limit 2000 for update skip locked
    ), given as (
      delete from queue q using free where q.email_id = any(array(select email_id from free)) and q.email_id = free.email_id and q.recipient_index = free.recipient_index returning q.*
    )
    update email_recipients r set next_attempt_at = g.next_attempt_at, octets = g.octets, stream = g.stream, attempts = g.attempts,
      crashes = least(g.crashes + g.in_flight::int, 4), destination = g.destination
    from given g
    where r.project_id = g.project_id and r.email_id = g.email_id and r.recipient_index = g.recipient_index;
    return null;
  end $body$;
end $$;
