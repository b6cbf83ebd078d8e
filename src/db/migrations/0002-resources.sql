-- Everything beside the email: domains as projects see them, mailboxes, webhooks, templates, the directory, plans.

alter table projects
  add column default_spam_level text not null default 'medium' check (default_spam_level in ('off', 'low', 'medium', 'high')),
  add column track_opens boolean not null default false,
  add column track_clicks boolean not null default false,
  -- what is kept for the project, in bytes; storage_changes has what is not folded in yet
  add column storage_bytes bigint not null default 0;

-- Appended by whoever keeps or deletes something, and folded into projects.storage_bytes: a counter that every
-- commit changes would let them in one at a time.
create table storage_changes (
  project_id uuid not null,
  id uuid not null,
  bytes bigint not null,
  primary key (project_id, id)
);

alter table domains
  add column region text,
  add column spf_verified boolean not null default false,
  add column dkim_verified boolean not null default false,
  add column mail_from_verified boolean not null default false,
  add column dmarc_verified boolean not null default false,
  -- what the last look at DNS said of each record, by its kind and name
  add column checks json,
  add column last_checked_at timestamptz,
  -- since when a verified domain has been without its records
  add column warning_since timestamptz;
-- Of several claims on one name at most one is verified.
create unique index domains_one_verified on domains (name)
  where status in ('verified', 'warning') and project_id <> '00000000-0000-0000-0000-000000000000';

create table mailboxes (
  project_id uuid not null references projects,
  id uuid not null,
  -- the project's own claim, or the hosted domain's row of the nil project
  domain_id uuid not null,
  -- A-labels, lower case
  domain text not null,
  -- as given
  local_part text not null,
  -- what makes two addresses the same: case folded, normalised
  local_part_key text not null,
  display_name text,
  -- argon2id in PHC form
  password_hash text,
  is_catch_all boolean not null,
  quota_mb int not null,
  daily_send_limit int,
  spam_level text check (spam_level in ('off', 'low', 'medium', 'high')),
  reply_to text,
  signature_html text,
  unread int not null default 0,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create unique index mailboxes_address on mailboxes (domain_id, local_part_key);
create unique index mailboxes_one_catch_all on mailboxes (domain_id) where is_catch_all;

create table webhooks (
  project_id uuid not null references projects,
  id uuid not null,
  url text not null,
  -- email.queued, ... (docs/contract.md, Events)
  events text[] not null,
  enabled boolean not null,
  disabled_reason text,
  secret_sealed text not null,
  -- the secret before the last rotation, signed with as well until then
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- the first failure since the last success
  failing_since timestamptz,
  primary key (project_id, id)
);

-- One row per webhook and event: the queue of the webhooks and their log. A pending row is due at next_attempt_at; while
-- an attempt runs that is the moment when its worker is taken for dead. The body that is sent is a function of
-- event and email and is not stored.
create table webhook_deliveries (
  project_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- null: the test event
  email_id uuid,
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
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
  primary key (project_id, webhook_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id) where status = 'pending';

create table templates (
  project_id uuid not null references projects,
  id uuid not null,
  name text not null,
  subject text not null,
  html text not null,
  text text not null,
  variables text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, name)
);

create table people (
  project_id uuid not null references projects,
  id uuid not null,
  name text not null,
  email text not null,
  email_key text not null,
  title text,
  organization text,
  notes text,
  -- set for a member that a mailbox keeps here
  mailbox_id uuid,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create unique index people_mailbox on people (project_id, mailbox_id) where mailbox_id is not null;
create unique index people_email on people (project_id, email_key) where mailbox_id is null;

-- The directory of a project, open to another one of the same organisation.
create table shares (
  project_id uuid not null references projects,
  id uuid not null,
  to_project_id uuid not null references projects,
  created_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, to_project_id),
  check (project_id <> to_project_id)
);
create index shares_inbound on shares (to_project_id);

-- Nobody asks for parts of these by their content: sampling them costs more than all the rest of an analyze.
alter table email_contents alter column html set statistics 0, alter column text set statistics 0;
