-- Organisations, projects, keys, domains; then the email, whose rows are also the queue.
-- Every key begins with the project, so that tables can be spread by project over several servers.
-- The hot tables have no foreign keys: a row is written only in the transaction of its email, and a check
-- of the reference costs more than the insert.

create table organizations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null unique,
  plan text not null check (plan in ('free', 'paid')),
  created_at timestamptz not null
);

create table api_keys (
  project_id uuid not null references projects,
  id uuid not null,
  name text not null,
  token_sha256 bytea not null unique,
  -- null: full access
  scopes text[],
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (project_id, id)
);

-- A claim of a project on a domain. The nil project holds the hosted domain.
create table domains (
  project_id uuid not null,
  id uuid not null,
  -- A-labels, lower case
  name text not null,
  status text not null check (status in ('pending', 'verified', 'failed', 'warning')),
  created_at timestamptz not null,
  verified_at timestamptz,
  primary key (project_id, id),
  unique (project_id, name)
);

create table dkim_keys (
  project_id uuid not null,
  domain_id uuid not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  -- what DNS publishes as p=
  public_key text not null,
  -- PKCS #8 DER, sealed; see src/db/seal.ts
  private_key_sealed text not null,
  created_at timestamptz not null,
  primary key (project_id, domain_id, selector),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- What is true of the database as a whole, such as the check value of the secret.
create table settings (
  name text primary key,
  value text not null
);

-- The changing half of an email: narrow, so that a change of status rewrites few bytes and stays off the index.
-- `id` is a UUIDv7 of `created_at`: the primary key is also the order of the list.
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
  -- per recipient, in the order of recipients.n: its highest stage from delivered on, else 0. It stands here, not with
  -- the recipient, so that locking this one row makes the status a pure function of what was read.
  stages smallint[] not null,
  primary key (project_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The half that never changes. Up to a page it stays in line and is never compressed: the write-ahead log
-- is cheaper than the processor time.
create table email_contents (
  project_id uuid not null,
  email_id uuid not null,
  cc text[] not null,
  bcc text[] not null,
  reply_to text,
  headers json,
  html text,
  text text,
  primary key (project_id, email_id)
) with (toast_tuple_target = 8160);
alter table email_contents alter column html set storage external, alter column text set storage external;

-- One row per address of the envelope: the queue. A row with `next_attempt_at` has work left.
create table recipients (
  project_id uuid not null,
  email_id uuid not null,
  -- position in the envelope, from 0
  n smallint not null,
  address text not null,
  -- about the size of the message: workers bound by it what is in flight
  octets int not null,
  attempts smallint not null default 0,
  -- how often a worker died with this row in flight since the last attempt that came to an end
  crashes smallint not null default 0,
  next_attempt_at timestamptz,
  -- the lease of the worker that holds the row
  epoch uuid,
  in_hand boolean not null default false,
  primary key (project_id, email_id, n)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index recipients_address on recipients (project_id, address, email_id);
create index recipients_due on recipients (next_attempt_at) where next_attempt_at is not null;
create index recipients_suspect on recipients (next_attempt_at) where next_attempt_at is not null and crashes >= 2;

-- One row for the lease of each worker. Without it the worker may write nothing.
create table workers (
  epoch uuid primary key,
  heartbeat_at timestamptz not null,
  -- host and process, for people
  name text not null
);

-- The timeline: only ever appended to. `id` is a UUIDv7 and gives the order and the time.
create table events (
  project_id uuid not null,
  email_id uuid not null,
  id uuid not null,
  type text not null,
  recipient text,
  detail json,
  primary key (project_id, email_id, id)
);

create table idempotency_keys (
  project_id uuid not null,
  key text not null,
  -- SHA-256 of the validated body with sorted keys
  fingerprint bytea not null,
  email_id uuid not null,
  created_at timestamptz not null,
  primary key (project_id, key)
);
create index idempotency_keys_age on idempotency_keys using brin (created_at);

-- What the sandbox provider was handed.
create table sandbox_messages (
  project_id uuid not null,
  email_id uuid not null,
  message bytea not null,
  created_at timestamptz not null,
  primary key (project_id, email_id)
);
