-- Routes (docs/routes.md): incoming mail that programs receive at a URL, or fetch.
create table routes (
  project_id uuid not null references projects on delete cascade,
  id uuid not null,
  -- address: an address that no mailbox has, which the route owns; domain: all addresses of a domain that nothing else receives; mailbox: mail
  -- that a mailbox receives
  kind text not null check (kind in ('address', 'domain', 'mailbox')),
  -- of an address or a domain: the project's own claim, or the hosted domain's row of the nil project
  domain_id uuid,
  -- A-labels, lower case
  domain text,
  -- as given
  local_part text,
  -- as that of a mailbox
  local_part_key text,
  mailbox_id uuid,
  -- only mail to the tagged form `name+tag` of an address of the mailbox, as `localPartKey` writes it; null: all mail of the mailbox
  tag text,
  format text not null check (format in ('json', 'raw', 'postmark', 'action-mailbox')),
  -- without a user name and a password; null: messages are only fetched
  url text,
  -- user:password of the URL, sealed
  credentials_sealed text,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- the first failure since the last success
  failing_since timestamptz,
  -- messages that were refused with 451 because their senders sent too many
  deferred bigint not null default 0,
  last_deferred_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade,
  check ((kind = 'mailbox') = (mailbox_id is not null) and (kind = 'mailbox') = (domain_id is null)),
  check ((kind = 'address') = (local_part_key is not null)),
  check (tag is null or kind = 'mailbox'),
  check (credentials_sealed is null or url is not null)
);
create unique index routes_address on routes (domain_id, local_part_key) where kind = 'address';
create unique index routes_domain on routes (domain_id) where kind = 'domain';
create unique index routes_mailbox on routes (project_id, mailbox_id, tag) nulls not distinct where kind = 'mailbox';

-- No mailbox or alias gets the address of a route, whichever path creates it. The program checks before it creates one
-- (src/mailboxes/new-address.ts), under a lock on the domain.
create function address_is_no_route() returns trigger language plpgsql as $$
begin
  if exists (select from routes r where r.kind = 'address' and r.domain_id = new.domain_id and r.local_part_key = new.local_part_key) then
    raise unique_violation using message = 'the address is that of a route';
  end if;
  return new;
end $$;
create trigger mailboxes_are_no_routes before insert on mailboxes
  for each row execute function address_is_no_route();
create trigger aliases_are_no_routes before insert on aliases
  for each row execute function address_is_no_route();
create trigger route_past_holder after delete on routes
  for each row when (old.kind = 'address') execute function record_past_holder();
create trigger routes_end_mailed_links after insert on routes
  referencing new table as added for each statement execute function end_mailed_links_of_added();

-- Whether routes may pass mail of the mailbox to programs.
alter table mailboxes add column api_access boolean not null default false;

-- A message for a route, and its delivery. Deleted 30 days after its last attempt.
create table route_messages (
  project_id uuid not null,
  -- no reference: the messages of a deleted route are deleted in the background
  route_id uuid not null,
  id uuid not null,
  -- the same for a message that is received again because its sender missed our reply
  dedupe bytea not null,
  -- of its bytes, in blobs
  digest bytea not null,
  octets int not null,
  -- the return path, without angle brackets
  reverse_path text not null,
  -- the recipients of the envelope that the route matched
  recipients text[] not null,
  client_address text not null,
  helo text not null,
  -- for lists, cut
  author text not null,
  subject text not null,
  authentication json not null,
  spam json not null,
  -- stored: the route had no URL, so nothing is sent
  status text not null check (status in ('pending', 'delivered', 'failed', 'stored')),
  attempts smallint not null default 0,
  max_attempts smallint not null default 12,
  -- while an attempt runs, the time after which its worker counts as dead
  next_attempt_at timestamptz not null,
  last_attempt_at timestamptz,
  lease_id uuid,
  delivered_at timestamptz,
  http_status smallint,
  error text,
  duration_ms int,
  -- at most 4 KB
  response_body text,
  response_truncated boolean not null default false,
  past_attempts jsonb,
  -- not before the message is delivered or failed
  expires_at timestamptz not null,
  primary key (project_id, id)
);
create index route_messages_list on route_messages (project_id, route_id, id);
create unique index route_messages_dedupe on route_messages (project_id, route_id, dedupe);
create index route_messages_due on route_messages (route_id, next_attempt_at, id) where status = 'pending';
create index route_messages_expired on route_messages (expires_at) where status <> 'pending';
create index route_messages_failed on route_messages (project_id, route_id, id) where status = 'failed';
-- Before a blob is deleted.
create index route_messages_digest on route_messages (project_id, digest);
