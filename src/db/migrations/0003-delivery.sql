-- Delivery to the recipients' own servers: what waits for a destination, and what is learned from each.

-- A destination (the domain of a forward-path) for which recipients are parked: it does not answer, or it has more than
-- its share of the work. No row: nothing waits for it. What is known of a destination is true for every project.
create table destinations (
  name text primary key,
  -- tries in a row in which the destination as a whole could not be used; 0: it has a backlog and takes mail
  failures int not null,
  -- of the first of them
  failing_since timestamptz,
  -- what the last one heard, as the timeline tells it
  reply json,
  -- when its recipients are looked at again
  next_attempt_at timestamptz not null
);
create index destinations_due on destinations (next_attempt_at);

-- Set while the row is parked: then next_attempt_at is infinity, and the destination says when.
alter table recipients add column destination text;
create index recipients_parked on recipients (destination, email_id, n) where next_attempt_at = 'infinity';

-- Addresses that a project sends no more mail to.
create table suppressions (
  project_id uuid not null,
  -- in normal form, as recipients.address
  address text not null,
  -- what makes two addresses the same
  address_key text not null generated always as (lower(address)) stored,
  reason text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  -- what was said, for people
  detail json,
  -- whose recipient it was
  email_id uuid,
  created_at timestamptz not null,
  -- null: for good
  expires_at timestamptz,
  primary key (project_id, address_key)
);
create index suppressions_expiring on suppressions (expires_at) where expires_at is not null;

-- When the records of a claim are looked at next without anybody asking. Null: not any more.
alter table domains
  add column next_check_at timestamptz default now() + interval '1 minute',
  -- since when it waits to be verified: the pauses between looks grow from here on
  add column pending_since timestamptz not null default now();
-- Spread, so that the claims of a large installation are not all due at once.
update domains set next_check_at = now() + random() * interval '1 day';
-- What lost its records for 72 hours is pending; failed is a claim that is not looked at any more.
update domains set status = 'pending', verified_at = null, warning_since = null where status = 'failed';
create index domains_due on domains (next_check_at)
  where next_check_at is not null and project_id <> '00000000-0000-0000-0000-000000000000';

-- MTA-STS policies that were fetched (RFC 8461), so that a restart forgets none: domains that have one, and no others. What
-- is known of a domain is true for every project, here and in tls_results.
create table mta_sts_policies (
  domain text primary key,
  -- of the TXT record that said that there was this policy
  record_id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  max_age_seconds int not null,
  fetched_at timestamptz not null,
  expires_at timestamptz not null
);
create index mta_sts_policies_expiring on mta_sts_policies (expires_at);

-- How TLS went with the recipients' servers, for TLS reports (RFC 8460).
create table tls_results (
  -- UTC
  day date not null,
  policy_domain text not null,
  policy_type text not null check (policy_type in ('sts', 'no-policy-found')),
  -- empty: the policy itself could not be had
  mx_host text not null,
  -- success, or a failure type of RFC 8460, section 4.3
  outcome text not null,
  sessions bigint not null,
  primary key (day, policy_domain, policy_type, mx_host, outcome)
);
