-- The schema of 0.2.0, the first release: all that a new database gets (docs/decisions/0123-baseline.md). Later files change it.
--
-- Every key begins with the project, so that tables can be spread by project over several servers. The tables that grow have no foreign keys: a row
-- is written only in the transaction of its email, and checking the reference costs more than the insert.
--
-- Ids are UUIDv7: their order is that of time.

-- == The installation ==

-- Values of the database as a whole, such as the check value of the secret.
create table settings (
  name text primary key,
  value text not null
);

-- The processes that work on this database, on all machines: limits are divided by their number. Each writes its row every two seconds, so no commit
-- waits for the disk; after a crash of the database the rows come back by themselves.
create unlogged table processes (
  id uuid primary key,
  -- machine and name, for people
  host text not null,
  name text not null,
  roles text[] not null,
  -- to this database, at most
  connections int not null,
  -- how far the clock of its machine is ahead of that of this database
  clock_ahead_ms double precision not null,
  heartbeat_at timestamptz not null,
  version text not null
);

-- Changes of the installation, as audit_log has those of an organisation.
create table system_changes (
  -- its time is that of the change
  id uuid primary key,
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'api-key', 'command-line', 'system')),
  actor_id uuid,
  -- its name at that time
  actor_name text not null,
  address text,
  target text not null,
  before jsonb,
  after jsonb
);

-- Mail to postmaster and abuse for which there is no mailbox: operators read it under System (docs/operate/system.md, Mail for operators).
-- At most 1,000 messages and 100 MB, for 30 days.
create table operator_mail (
  -- its time is when the message was received
  id uuid primary key,
  -- SHA-256 of raw: a message that its sender delivers again is stored once
  digest bytea not null unique,
  -- as RCPT gave them
  recipients text[] not null,
  -- empty: the null reverse path
  reverse_path text not null,
  client_address text not null,
  helo text not null,
  -- decoded, as the header says
  author text not null,
  subject text not null,
  octets integer not null,
  raw bytea not null
);

-- Certificates that ACME obtains, for all machines. A directory is the address of a certificate authority.

create table acme_accounts (
  directory text primary key,
  -- the private key, sealed: the authority knows the account by it
  sealed_key text not null
);

create table acme_certificates (
  directory text not null,
  -- the one host name of the certificate
  name text not null,
  -- the private key with the chain, as PEM; null: none was obtained yet
  sealed text,
  expires_at timestamptz,
  -- when a process last said that the name is its own: others are not renewed
  wanted_at timestamptz not null default now(),
  -- The process that obtains it sets this ahead, so that no other one does.
  next_attempt_at timestamptz not null default now(),
  -- since the last success
  failures integer not null default 0,
  last_error text,
  primary key (directory, name)
);

-- Proofs under way: the authority may ask any machine for them.
create table acme_challenges (
  token text primary key,
  name text not null,
  type text not null check (type in ('http-01', 'tls-alpn-01')),
  key_authorization text not null,
  expires_at timestamptz not null
);

-- == Accounts ==

create table organizations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  -- what a sign-in has to prove: 'second-factor' or 'openid'; null: no more than a password
  required_sign_in text
);

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null unique,
  plan text not null check (plan in ('free', 'paid')),
  created_at timestamptz not null,
  default_spam_level text not null default 'medium' check (default_spam_level in ('off', 'low', 'medium', 'high')),
  track_opens boolean not null default false,
  track_clicks boolean not null default false,
  -- what the project stores, in bytes; storage_changes has the changes that are not folded in yet
  storage_bytes bigint not null default 0,
  -- Null: without limit. 0 of bodies: until the last attempt has ended.
  keep_days int check (keep_days between 1 and 36500),
  keep_bodies_days int check (keep_bodies_days between 0 and 36500),
  -- The bodies of all emails before this id are deleted, except those in waiting_bodies.
  bodies_deleted_before uuid,
  -- Whether webhooks report emails that applications submit by SMTP.
  smtp_events boolean not null default false,
  -- Whether the owners of its mailboxes see the people of its directory while they write.
  mail_directory boolean not null default false,
  -- Whether the admins of the project see the names of files that its mailboxes send as links.
  link_names boolean not null default false
);
create index projects_organization on projects (organization_id);

-- Appended by each write that stores or deletes something, and folded into projects.storage_bytes: a counter that every commit changes would let
-- them in one at a time.
create table storage_changes (
  project_id uuid not null,
  id uuid not null,
  bytes bigint not null,
  primary key (project_id, id)
);

-- A list that is null restricts nothing.
create table api_keys (
  project_id uuid not null references projects,
  id uuid not null,
  name text not null,
  token_sha256 bytea not null unique,
  -- null: full access
  scopes text[],
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- domain patterns in A-labels, lower case: acme.example, *.acme.example
  from_domains text[],
  -- address patterns, lower case: ada@acme.example, *@acme.example, *@*.acme.example
  recipients text[],
  -- IP addresses and networks in CIDR notation
  addresses text[],
  expires_at timestamptz,
  -- within a minute
  last_used_at timestamptz,
  -- the user who made it in the dashboard. No reference: a key outlives its maker.
  created_by uuid,
  primary key (project_id, id)
);

-- People who sign in to the dashboard.
create table users (
  id uuid primary key,
  -- as given
  email text not null,
  -- the same address in any spelling has one key (src/accounts/user-email.ts)
  email_key text not null unique,
  name text not null,
  -- argon2id in PHC form; null: until a link is used, or where other ways to sign in are enough
  password_hash text,
  -- of the installation
  is_operator boolean not null default false,
  created_at timestamptz not null,
  -- the last time; null: never
  signed_in_at timestamptz,
  -- Null: verified. Else what verifies the account: opening a link sent to its address, or a second factor where mail for the address is read here
  -- (docs/dashboard.md, Unverified accounts).
  verifies_by text check (verifies_by in ('mail', 'second-factor'))
);

create table memberships (
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  -- a viewer who may read the bodies of emails
  sees_bodies boolean not null default false,
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

-- Projects in which a user may do less than the membership says.
create table project_roles (
  organization_id uuid not null,
  user_id uuid not null,
  project_id uuid not null references projects on delete cascade,
  -- none: the project does not exist for them
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer', 'none')),
  primary key (organization_id, user_id, project_id),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index project_roles_project on project_roles (project_id);

create table sessions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- SHA-256: 256 random bits cannot be guessed, however fast the hash
  token_sha256 bytea not null unique,
  created_at timestamptz not null,
  -- within a minute
  used_at timestamptz not null,
  -- when the user last proved to be there: at sign-in, and when asked again
  confirmed_at timestamptz not null,
  address text not null,
  user_agent text not null,
  -- what the sign-in proved
  with_second_factor boolean not null default false,
  with_openid boolean not null default false,
  primary key (user_id, id)
);
create index sessions_used on sessions (used_at);

-- Links that work once. A row is deleted when its link is used.
create table sign_in_links (
  id uuid primary key,
  token_sha256 bytea not null unique,
  purpose text not null check (purpose in ('welcome', 'reset', 'invitation')),
  -- whose password is reset
  user_id uuid references users on delete cascade,
  -- what an invitation is for
  organization_id uuid references organizations on delete cascade,
  email text,
  email_key text,
  role text check (role in ('owner', 'admin', 'developer', 'viewer')),
  sees_bodies boolean not null default false,
  -- the name of the inviter at that time
  made_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The hash of the token in the mail. The other one is shown to the inviter or printed for an operator.
  mailed_token_sha256 bytea unique,
  -- The mail went to a mailbox here: its token resets the password of a user with a second factor, behind that factor.
  mailed_needs_factor boolean not null default false,
  -- The mail that carries the token: it is checked once more when it is sent.
  submission_id uuid unique,
  -- An owner or an operator has to confirm the invitation first.
  awaits_confirmation boolean not null default false,
  -- A new password that is set once the second factor is proved. The mailed token is used up then.
  pending_password_hash text,
  check (case purpose
    when 'welcome' then user_id is null and organization_id is null
    when 'reset' then user_id is not null and organization_id is null
    else user_id is null and organization_id is not null and email is not null and email_key is not null and role is not null
  end)
);
create index sign_in_links_user on sign_in_links (user_id);
-- One invitation for each address: a new one replaces it.
create unique index sign_in_links_invitation on sign_in_links (organization_id, email_key);
create index sign_in_links_expiry on sign_in_links (expires_at);

-- Mail of the service that holds a link opening an account: sealed with POSTHORN_SECRET, and deleted with its link. It is in no backup, and neither
-- in blobs nor in sandbox_messages.
create table service_bodies (
  -- in submissions and in the queue
  submission_id uuid primary key,
  link_id uuid not null references sign_in_links on delete cascade,
  -- the message with CRLF line ends
  sealed text not null
);
create index service_bodies_link on service_bodies (link_id);

-- An invitation whose mailed token has ended still has the link that the inviter hands over.
create function delete_service_bodies() returns trigger language plpgsql as $$
begin
  delete from service_bodies where link_id = new.id;
  return null;
end $$;
create trigger sign_in_links_delete_bodies after update of mailed_token_sha256 on sign_in_links
  for each row when (old.mailed_token_sha256 is distinct from new.mailed_token_sha256)
  execute function delete_service_bodies();

-- Networks from which a user has signed in: a flood of guesses from elsewhere does not lock the user out.
create table user_networks (
  user_id uuid not null references users on delete cascade,
  network text not null,
  -- within a day
  seen_at timestamptz not null,
  primary key (user_id, network)
);

-- The other ways to sign in to the dashboard: codes of an app, recovery codes, passkeys, an OpenID provider.

create table user_totp (
  user_id uuid primary key references users on delete cascade,
  -- sealed with POSTHORN_SECRET
  secret text not null,
  -- the time step of the last code (RFC 6238, section 5.2): each code works once
  last_step bigint not null,
  created_at timestamptz not null
);

-- A row is deleted when its code is used.
create table user_recovery_codes (
  user_id uuid not null references users on delete cascade,
  -- SHA-256: 80 random bits cannot be guessed, however fast the hash
  code_sha256 bytea not null,
  primary key (user_id, code_sha256)
);

create table user_passkeys (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  name text not null,
  -- as the authenticator names it
  credential_id bytea not null unique,
  -- COSE (RFC 9053)
  public_key bytea not null,
  -- how often it signed; 0 with authenticators that do not count
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, id)
);

-- The subject under which an OpenID provider knows a user.
create table user_identities (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  issuer text not null,
  subject text not null,
  -- as the provider said when it was linked
  email text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  primary key (user_id, id),
  unique (issuer, subject)
);

-- Tickets between the steps of signing in that were used: each works once.
create table used_tickets (
  id uuid primary key,
  expires_at timestamptz not null
);
create index used_tickets_expiry on used_tickets (expires_at);

-- Guesses at passwords, for each account and each network: when all that were made are forgiven. A crash of PostgreSQL empties it.
create unlogged table sign_in_guesses (
  -- a hash of the account or the network
  key uuid primary key,
  forgiven_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Every change: who made it, from where, before and after. Never a secret, and nothing of the content of mail.
create table audit_log (
  organization_id uuid not null references organizations on delete cascade,
  -- its time is that of the change
  id uuid not null,
  -- null: a change of the organisation itself. No reference: the log outlives the project.
  project_id uuid,
  -- resource and verb: api-key.create
  action text not null,
  -- Owners of mailboxes change settings themselves.
  actor_kind text not null check (actor_kind in ('user', 'api-key', 'command-line', 'system', 'mailbox')),
  actor_id uuid,
  -- its name at that time
  actor_name text not null,
  address text,
  -- the outside form of an id, or another name that people know
  target text not null,
  target_name text,
  before jsonb,
  after jsonb,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index audit_log_project on audit_log (organization_id, project_id, id);
create index audit_log_time on audit_log (created_at);

-- == Domains ==

-- A claim of a project on a domain. The nil project has the hosted domain and those that the service itself sends from.
create table domains (
  project_id uuid not null,
  id uuid not null,
  -- A-labels, lower case
  name text not null,
  -- A claim that lost its records for 72 hours is pending; one that is not checked any more has failed.
  status text not null check (status in ('pending', 'verified', 'failed', 'warning')),
  created_at timestamptz not null,
  verified_at timestamptz,
  region text,
  spf_verified boolean not null default false,
  dkim_verified boolean not null default false,
  mail_from_verified boolean not null default false,
  dmarc_verified boolean not null default false,
  -- what the last check of DNS said of each record, by its kind and name
  checks json,
  last_checked_at timestamptz,
  -- since when a verified domain has been without its records
  warning_since timestamptz,
  -- When its records are checked next without a request. Null: not any more.
  next_check_at timestamptz default now() + interval '1 minute',
  -- since when it waits to be verified: the pauses between checks grow from here on
  pending_since timestamptz not null default now(),
  -- null: as the project has it
  track_opens boolean,
  track_clicks boolean,
  primary key (project_id, id),
  unique (project_id, name)
);
-- Of several claims on one name at most one is verified.
create unique index domains_one_verified on domains (name)
  where status in ('verified', 'warning') and project_id <> '00000000-0000-0000-0000-000000000000';
create index domains_due on domains (next_check_at)
  where next_check_at is not null and project_id <> '00000000-0000-0000-0000-000000000000';
-- Whether an address is local is asked by name, of claims of all projects that were ever verified.
create index domains_name on domains (name);

-- Which key of a domain signs. `next`: its record is shown and awaited. `retiring`: it signs no more, and its record stays until `keep_until`, for
-- mail in transit; then the row is deleted, and the private key with it.
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
  state text not null default 'active' check (state in ('active', 'next', 'retiring')),
  keep_until timestamptz,
  primary key (project_id, domain_id, selector),
  foreign key (project_id, domain_id) references domains on delete cascade,
  check ((state = 'retiring') = (keep_until is not null))
);
create unique index dkim_keys_next on dkim_keys (project_id, domain_id) where state = 'next';

-- When the operator marked a claim as verified without DNS, for trying out. Servers in production ignore it.
create table domains_verified_by_hand (
  project_id uuid not null,
  domain_id uuid not null,
  verified_at timestamptz not null,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- When a claim was verified for the first time. `domains.verified_at` is cleared when the claim loses its records or its name; this row stays as
-- long as the claim.
create table domains_first_verified (
  project_id uuid not null,
  domain_id uuid not null,
  verified_at timestamptz not null,
  -- The last check that found the claim verified: of several claims on a name, none of them verified now, the last one to be verified has its mail.
  last_verified_at timestamptz,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- Where DNS sends the mail of a claim's domain, and what an operator decided about it. A claim without a row is on `auto` and was not asked about yet.
create table domain_mx (
  project_id uuid not null,
  domain_id uuid not null,
  -- Whether mail from here is delivered here. Null: as the MX records say.
  deliver_locally boolean,
  -- Gateways and backup MX in front of this installation, for this domain alone. Lower case, without a trailing dot.
  gateways text[] not null default '{}',
  -- The last definite answer: [{"priority": 10, "exchange": "mx.acme.example"}]. A SERVFAIL or a time-out does not change it.
  hosts json,
  -- The last query, answered or not.
  asked_at timestamptz,
  answered_at timestamptz,
  -- The last answer by which the domain's mail is delivered here.
  here_at timestamptz,
  -- The first of the answers since then by which it is delivered elsewhere.
  elsewhere_since timestamptz,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- Domains that the installation signs its own mail with, beside the hosted domain: claims of the nil project with keys of their own. No project
-- signs with these keys.
create table service_domains (
  project_id uuid not null check (project_id = '00000000-0000-0000-0000-000000000000'),
  domain_id uuid not null,
  -- Domains that an operator added for the service's own mail have keys and records of their own, which are checked like those of projects. Copies
  -- of a project's claim are never checked: the project publishes their records.
  has_own_keys boolean not null default false,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- Addresses that the installation sends its own mail from. No project sends from them or owns them, so that no one can pass for the service.
create table service_senders (
  domain text not null,
  -- see mailboxKey in src/mailboxes/local-part.ts
  local_part_key text not null,
  -- in normal form
  address text not null,
  -- when mail was first accepted from it; null: it is only configured
  used_at timestamptz,
  -- When a start last named the sender: one that no mail was sent from is free again a day later.
  named_at timestamptz not null default now(),
  primary key (domain, local_part_key)
);

-- Which project held an address of the hosted domain last: the address never passes to another project unless an operator releases it. There is no
-- foreign key, because the row outlives its project.
create table past_holders (
  domain_id uuid not null,
  local_part_key text not null,
  project_id uuid not null,
  primary key (domain_id, local_part_key)
);

-- A mailed link stops working as soon as mail for its address can be received here, even if the mail is in transit elsewhere then.
-- Attack: a mailbox with the address is created after the link was mailed, and a smart host that retries for days delivers the link there.
-- A link that needs a second factor too keeps working.
create function end_mailed_links(names text[]) returns void language plpgsql as $$
begin
  -- Links are mailed under the exclusive lock (src/sending/service-mail/account-mail.ts), so neither side misses what the other one commits.
  perform pg_advisory_xact_lock_shared(7340086);
  update sign_in_links l set mailed_token_sha256 = null
  where l.mailed_token_sha256 is not null and not l.mailed_needs_factor
    and regexp_replace(coalesce(l.email_key, (select u.email_key from users u where u.id = l.user_id)), '^.*@', '') = any (names);
end $$;

-- Whether mail can be received on a claim: it is the installation's, verified, or was verified once.
create function may_receive(claim domains) returns boolean language sql stable as $$
  select claim.project_id = '00000000-0000-0000-0000-000000000000' or claim.status in ('verified', 'warning')
    or exists (select from domains_first_verified f where f.project_id = claim.project_id and f.domain_id = claim.id)
$$;

create function end_mailed_links_of_verified() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array[new.name]);
  return null;
end $$;
create trigger domains_verified_ends_mailed_links after update of status on domains
  for each row when (new.status in ('verified', 'warning') and old.status not in ('verified', 'warning'))
  execute function end_mailed_links_of_verified();

-- == Emails ==

-- Mail is sent in fair shares: first between projects, then between the streams of a project. `mailbox` is the mail that mailboxes send.
create type stream as enum ('transactional', 'bulk', 'mailbox');

-- The seven growing tables are divided by the time in their ids (docs/decisions/0037-partitions.md): old rows go by dropping a table. The first two
-- partitions of each are made at the end of this file.

-- The changing half of an email: narrow, so that a change of status rewrites few bytes. `id` is a UUIDv7 of `created_at`: the primary key is also
-- the order of the list.
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
  -- Per recipient, in the order of email_recipients: its highest stage from delivered on, else 0. It is stored here, not with the recipient, so that
  -- locking this one row makes the status a pure function of what was read.
  stages smallint[] not null,
  -- false: submitted by SMTP, and its project wants no events of such emails (projects.smtp_events)
  emits_events boolean not null default true,
  -- when it is to be sent; null: at once
  scheduled_at timestamptz,
  -- The stream, which is in email_contents: beside the bodies, of which the worker that counts would read all. Null: not recorded.
  is_bulk boolean,
  -- Which kind of provider mail was accepted under: it is delivered under no other (src/queue/provider-kind.ts). Null: any provider delivers it.
  is_sandbox boolean,
  primary key (project_id, id)
) partition by range (id);
-- The filters of the list: for each an index that gives a project's emails in the order of their ids, newest first, so that few hits are found
-- without reading the others, and of many only as many as a page holds.
create index emails_status on emails (project_id, status, id);
create index emails_sender on emails (project_id, sender_address, id);

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
  -- Null: nothing is tracked. The settings when the email was accepted: every attempt has the same links.
  tracking json,
  -- W3C traceparent of the accepting request, if it was traced
  trace_parent text,
  stream stream not null default 'transactional',
  -- Since when html and text are deleted. Null: they are stored.
  bodies_deleted_at timestamptz,
  -- No reference: sent emails stay when the template is deleted.
  template_id uuid,
  primary key (project_id, email_id)
) partition by range (email_id);
-- Bodies are compressed, and stay in line up to a page.
alter table email_contents alter column html set storage main, alter column text set storage main;

-- A row for each tag of an email. `emails.tags` has them as given.
create table email_tags (
  project_id uuid not null,
  tag text not null,
  email_id uuid not null,
  primary key (project_id, tag, email_id)
) partition by range (email_id);

-- One row per address of the envelope. What outlives the queue.
create table email_recipients (
  project_id uuid not null,
  email_id uuid not null,
  -- position in the envelope, from 0
  recipient_index smallint not null,
  -- in normal form
  address text not null,
  -- how often a worker died with the recipient in flight, where that ended its delivery
  crashes smallint not null default 0,
  primary key (project_id, email_id, recipient_index)
) partition by range (email_id);
create index email_recipients_address on email_recipients (project_id, address, email_id);

-- The timeline: only ever appended to. `id` is a UUIDv7 and gives the order and the time.
create table events (
  project_id uuid not null,
  email_id uuid not null,
  id uuid not null,
  type text not null,
  recipient text,
  detail json
) partition by range (email_id);
-- No primary key: an event is only looked for with its email. The events of an email share one entry, a quarter of the bytes of a key with their ids.
create index events_email on events (project_id, email_id);

-- The messages that the sandbox provider received.
create table sandbox_messages (
  project_id uuid not null,
  email_id uuid not null,
  message bytea not null,
  created_at timestamptz not null,
  primary key (project_id, email_id)
) partition by range (email_id);

create table idempotency_keys (
  project_id uuid not null,
  key text not null,
  -- SHA-256 of the validated body with sorted keys
  fingerprint bytea not null,
  email_id uuid not null,
  created_at timestamptz not null,
  -- of a batch: all of its emails, the first of which is email_id
  email_ids uuid[],
  primary key (project_id, key)
);
create index idempotency_keys_age on idempotency_keys using brin (created_at);

-- Addresses that a project sends no more mail to.
create table suppressions (
  project_id uuid not null,
  -- in normal form, as email_recipients.address
  address text not null,
  -- what makes two addresses the same
  address_key text not null generated always as (lower(address)) stored,
  reason text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'manual')),
  -- the reply or the report, for people
  detail json,
  -- the email of the recipient
  email_id uuid,
  created_at timestamptz not null,
  -- null: without end
  expires_at timestamptz,
  primary key (project_id, address_key)
);
create index suppressions_expiring on suppressions (expires_at) where expires_at is not null;
-- The list is shown newest first, all of it or the rows of one reason.
create index suppressions_by_time on suppressions (project_id, reason, created_at, address_key);

-- == The queue ==

-- One row for the lease of each worker. Without it the worker may write nothing.
create table leases (
  lease_id uuid primary key,
  heartbeat_at timestamptz not null,
  -- host and process, for people
  name text not null,
  -- A live process with a lease on deliveries may have an answer that is not written yet, so no other process takes the delivery.
  holds text not null default 'recipients' constraint workers_holds_check check (holds in ('recipients', 'deliveries')),
  -- The process of the lease (processes.id); null: not recorded, and its claims wait for the end of the lease.
  process_id uuid,
  -- Nothing more is claimed under a closed lease. What is in flight under it is still settled.
  is_closed boolean not null default false,
  -- the kind of provider that its worker delivers to; null: not recorded
  is_sandbox boolean
);

-- A row per recipient that has work left, deleted when none is left (docs/decisions/0037-partitions.md): of emails, and of submissions.
create table queue (
  -- `infinity`: the row is parked, and its destination says when
  next_attempt_at timestamptz not null default now(),
  -- about the size of the message: workers bound what is in flight by it
  octets int not null,
  stream stream not null,
  recipient_index smallint not null,
  attempts smallint not null default 0,
  -- how often a worker died with this row in flight since the last attempt that ended
  crashes smallint not null default 0,
  in_flight boolean not null default false,
  email_id uuid not null,
  project_id uuid not null,
  -- of the worker that claimed the row
  lease_id uuid,
  -- in normal form
  address text not null,
  -- Set while the row is parked.
  destination text,
  -- as in emails: from then on an attempt counts as late
  scheduled_at timestamptz,
  -- A worker stopped while it waited for the last answer: the message may have gone out, and the row counts no crash.
  in_doubt boolean not null default false,
  -- as in emails
  is_sandbox boolean,
  -- until when it waited for its kind of provider: its days of retries count from then
  waited_until timestamptz,
  -- An email's id is the time of it: what waits from before a time is found here too.
  primary key (project_id, email_id, recipient_index)
-- A page has space for a new version of each of its rows, so that a claim stays off the indexes. Each row dies within seconds: dead ones may not
-- become many times those that live, and no statement waits while vacuum gives the end of the file back.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
-- A worker goes from stream to stream, and finds in each the row that is due the longest. Parked rows are not in it.
create index queue_due on queue (project_id, stream, next_attempt_at) where next_attempt_at < 'infinity';
create index queue_suspect on queue (next_attempt_at) where crashes >= 2;
-- The same for rows that are parked for a destination.
create index queue_parked on queue (destination, project_id, stream, email_id, recipient_index) where next_attempt_at = 'infinity';
-- The rows of a lease: the worker that ends it takes back its rows without reading those of others.
create index queue_lease on queue (lease_id) where lease_id is not null;
-- Rows that wait for their kind of provider are asked for each minute (src/queue/provider-kind.ts, rejoinSetAside).
create index queue_set_aside on queue (is_sandbox) where next_attempt_at = 'infinity' and destination is null;

-- A destination (the domain of a forward-path) for which recipients are parked: it does not answer, or it has more than its share of the work. No row:
-- nothing waits for it. What is known of a destination is true for every project.
create table destinations (
  -- Where its mail goes. A destination may reject one sender and accept the mail of all others: then only the mail of that sender waits. A sender
  -- that `gmx.de` rejects waits for `gmx.de from news.example`: a space cannot be part of a domain.
  name text primary key,
  -- tries in a row in which the destination as a whole could not be used; 0: it has a backlog and takes mail
  failures int not null,
  -- of the first of them
  failing_since timestamptz,
  -- the last reply, as timelines show it
  reply json,
  -- when its recipients are tried again
  next_attempt_at timestamptz not null,
  domain text not null generated always as (split_part(name, ' ', 1)) stored,
  -- The project of the last probe, so that the next one is of another. Null: there was none yet.
  probed json
);
create index destinations_due on destinations (next_attempt_at);
create index destinations_domain on destinations (domain);

-- Domains that an operator paused (docs/operate/system.md, docs/decisions/0080-held-destinations.md). A row stays for some days after they are resumed:
-- mail that waited has its three days from then on.
create table destination_holds (
  -- of recipients, in normal form
  domain text primary key,
  held_at timestamptz not null,
  -- null: it is paused
  resumed_at timestamptz
);

-- MTA-STS policies that were fetched (RFC 8461), so that a restart forgets none: of domains that have one, and no others. What is known of a domain is
-- true for every project, here and in tls_results.
create table mta_sts_policies (
  domain text primary key,
  -- of the TXT record that announced this policy
  record_id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  max_age_seconds int not null,
  fetched_at timestamptz not null,
  expires_at timestamptz not null
);
create index mta_sts_policies_expiring on mta_sts_policies (expires_at);

-- The results of TLS with the recipients' servers, for TLS reports (RFC 8460).
create table tls_results (
  -- UTC
  day date not null,
  policy_domain text not null,
  policy_type text not null check (policy_type in ('sts', 'no-policy-found')),
  -- empty: the policy itself could not be fetched
  mx_host text not null,
  -- success, or a failure type of RFC 8460, section 4.3
  outcome text not null,
  sessions bigint not null,
  primary key (day, policy_domain, policy_type, mx_host, outcome)
);

-- == Webhooks ==

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

-- A webhook delivery that has not ended: a row of this small table (docs/decisions/0037-partitions.md). Once it has ended it is a row of the log,
-- `deliveries`. It is due at next_attempt_at; while an attempt runs that is the moment when its worker is taken for dead. The body that is sent is a
-- function of event and email and is not stored.
create table due_deliveries (
  project_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  email_id uuid not null,
  next_attempt_at timestamptz not null,
  last_attempt_at timestamptz,
  -- The lease of the process that claimed it: while that lives, it may have an answer that is not written yet.
  lease_id uuid,
  attempts smallint not null default 0,
  max_attempts smallint not null default 12,
  type text not null,
  -- how the last attempt ended, if it did
  http_status smallint,
  error text,
  duration_ms int,
  -- at most 4 KB
  response_body text,
  response_truncated boolean not null default false,
  primary key (project_id, id)
-- Most rows die within seconds: dead ones may not become many times those that live, and no statement waits while vacuum gives the end of the file
-- back.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 10000, vacuum_truncate = off);
-- Without "id": a table that is empty now and long in a minute is planned for as if it were empty, and then a query for an id finds nothing but the
-- primary key to use.
create index due_deliveries_next on due_deliveries (webhook_id, next_attempt_at, event_id);

-- The log of deliveries that have ended, one row per webhook and event. Each is written once.
create table deliveries (
  project_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- null: the test event
  email_id uuid,
  type text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts smallint not null default 0,
  max_attempts smallint not null default 12,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  http_status smallint,
  error text,
  duration_ms int,
  -- at most 4 KB
  response_body text,
  response_truncated boolean not null default false,
  primary key (project_id, webhook_id, id)
) partition by range (id);
-- What failed, of a log in which hardly anything did: delivered rows have no entry.
create index deliveries_failed on deliveries (project_id, webhook_id, id) where status = 'failed';

-- Attempts at deliveries, by the hour in which they ended: the statement that writes their end counts them
-- (docs/decisions/0070-webhooks-in-the-dashboard.md).
create table webhook_activity (
  project_id uuid not null,
  webhook_id uuid not null,
  -- its first moment
  hour timestamptz not null,
  -- answered with a 2xx, and not
  delivered int not null,
  failed int not null,
  primary key (project_id, webhook_id, hour),
  foreign key (project_id, webhook_id) references webhooks on delete cascade
-- The row of this hour changes with each batch, and no index has what changes.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- The last replay of all failed deliveries of a webhook since a time.
create table webhook_replays (
  project_id uuid not null,
  webhook_id uuid not null,
  -- names this replay: a request to stop it stops no later one
  id uuid not null,
  -- deliveries with ids from the one to before the other
  from_id uuid not null,
  until_id uuid not null,
  -- up to which it has come
  after_id uuid not null,
  -- how many there were at the start, counted up to a limit
  total int not null,
  replayed int not null default 0,
  -- null: it goes on
  ended_at timestamptz,
  ended_by text check (ended_by in ('done', 'stopped', 'disabled')),
  primary key (project_id, webhook_id),
  foreign key (project_id, webhook_id) references webhooks on delete cascade,
  check ((ended_at is null) = (ended_by is null))
);
create index webhook_replays_going_on on webhook_replays (project_id, webhook_id) where ended_at is null;

-- == Templates ==

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
  -- JSON of an object: the values with which the dashboard fills the template in for its preview
  sample text,
  primary key (project_id, id),
  unique (project_id, name)
);

-- The content of a template after each save.
create table template_versions (
  project_id uuid not null,
  template_id uuid not null,
  -- of the moment of the save
  id uuid not null,
  name text not null,
  subject text not null,
  html text not null,
  text text not null,
  -- as in audit_log
  actor_kind text not null,
  actor_name text not null,
  created_at timestamptz not null,
  primary key (project_id, template_id, id),
  foreign key (project_id, template_id) references templates on delete cascade
);

-- Unsaved changes of a user: the preview shows them, and they are not lost with the page.
create table template_drafts (
  project_id uuid not null,
  template_id uuid not null,
  user_id uuid not null references users on delete cascade,
  subject text not null,
  html text not null,
  text text not null,
  sample text not null,
  updated_at timestamptz not null,
  -- when the version was saved that the draft began with; null: unknown
  based_on timestamptz,
  primary key (project_id, template_id, user_id),
  foreign key (project_id, template_id) references templates on delete cascade
);
create index template_drafts_user on template_drafts (user_id, updated_at);

-- == Mailboxes ==

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
  created_at timestamptz not null,
  -- Junk and Trash are emptied of messages that were put there 30 days ago.
  empties_folders boolean not null default true,
  -- since when a second factor is asked for in the web client: mail apps then need app passwords
  second_factor_since timestamptz,
  -- Sent messages are also put into Sent, for mail apps that do not.
  save_sent boolean not null default false,
  -- Goes up with each change of rules, vacation, forwarding and the block list. 0: there never was any, and delivery reads none of them.
  filing_version int not null default 0,
  -- Counted on to end what is open: sessions that were opened before have another number.
  sessions_version int not null default 0,
  primary key (project_id, id)
);
create unique index mailboxes_address on mailboxes (domain_id, local_part_key);
create unique index mailboxes_one_catch_all on mailboxes (domain_id) where is_catch_all;
-- A sign-in names an address, and no project: with the index each attempt reads the mailboxes with that address alone.
create index mailboxes_named on mailboxes (domain, local_part_key);

-- Addresses that lead to mailboxes of their project.
create table aliases (
  project_id uuid not null references projects,
  id uuid not null,
  -- the project's own claim, or the hosted domain's row of the nil project
  domain_id uuid not null,
  -- A-labels, lower case
  domain text not null,
  -- as given
  local_part text not null,
  -- as that of a mailbox
  local_part_key text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create unique index aliases_address on aliases (domain_id, local_part_key);

create table alias_mailboxes (
  project_id uuid not null,
  alias_id uuid not null,
  mailbox_id uuid not null,
  primary key (project_id, alias_id, mailbox_id),
  foreign key (project_id, alias_id) references aliases on delete cascade,
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index alias_mailboxes_mailbox on alias_mailboxes (project_id, mailbox_id);

-- An alias is deleted with the last of its mailboxes, whichever path deletes that. Locks are taken in one order (mailboxes, aliases, the rows between
-- them), so that two transactions that delete one mailbox each see each other.
create function aliases_of_mailbox() returns trigger language plpgsql as $$
begin
  perform from aliases a
    where a.project_id = old.project_id and a.id in (
      select t.alias_id from alias_mailboxes t where t.project_id = old.project_id and t.mailbox_id = old.id)
    order by a.id for update;
  return old;
end $$;
create trigger mailboxes_lock_aliases before delete on mailboxes
  for each row execute function aliases_of_mailbox();

create function aliases_lead_somewhere() returns trigger language plpgsql as $$
begin
  delete from aliases a where (a.project_id, a.id) in (select g.project_id, g.alias_id from gone g)
    and not exists (select from alias_mailboxes t where t.project_id = a.project_id and t.alias_id = a.id);
  return null;
end $$;
create trigger alias_mailboxes_gone after delete on alias_mailboxes
  referencing old table as gone for each statement execute function aliases_lead_somewhere();

-- No mailbox gets the address of an alias, whichever path creates it. The program checks before it creates one (src/mailboxes/new-mailbox.ts).
create function address_is_no_alias() returns trigger language plpgsql as $$
begin
  if exists (select from aliases a where a.domain_id = new.domain_id and a.local_part_key = new.local_part_key) then
    raise unique_violation using message = 'the address is that of an alias';
  end if;
  return new;
end $$;
create trigger mailboxes_are_no_aliases before insert on mailboxes
  for each row execute function address_is_no_alias();

-- A trigger, so that no way to delete an address is left out: alone, with its mailbox, or with its project.
create function record_past_holder() returns trigger language plpgsql as $$
begin
  insert into past_holders (domain_id, local_part_key, project_id)
  select d.id, old.local_part_key, old.project_id from domains d
  where d.project_id = '00000000-0000-0000-0000-000000000000' and d.id = old.domain_id
  on conflict (domain_id, local_part_key) do update set project_id = excluded.project_id;
  return null;
end $$;
create trigger mailbox_past_holder after delete on mailboxes for each row execute function record_past_holder();
create trigger alias_past_holder after delete on aliases for each row execute function record_past_holder();

-- Mail can be received for an address from now on: see end_mailed_links.
create function end_mailed_links_of_added() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array(
    select distinct d.name from added a
    join domains d on d.project_id in (a.project_id, '00000000-0000-0000-0000-000000000000') and d.id = a.domain_id
    where may_receive(d)));
  return null;
end $$;
create trigger mailboxes_end_mailed_links after insert on mailboxes
  referencing new table as added for each statement execute function end_mailed_links_of_added();
create trigger aliases_end_mailed_links after insert on aliases
  referencing new table as added for each statement execute function end_mailed_links_of_added();

create function end_mailed_links_of_catch_all() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array(
    select d.name from domains d
    where d.project_id in (new.project_id, '00000000-0000-0000-0000-000000000000') and d.id = new.domain_id and may_receive(d)));
  return null;
end $$;
create trigger mailboxes_catch_all_ends_mailed_links after update of is_catch_all on mailboxes
  for each row when (new.is_catch_all and not old.is_catch_all) execute function end_mailed_links_of_catch_all();

-- The directory: people outside, and members, which have a mailbox.
create table people (
  project_id uuid not null references projects,
  id uuid not null,
  name text not null,
  email text not null,
  email_key text not null,
  title text,
  organization text,
  notes text,
  -- of a member
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

-- == Signing in to mailboxes ==

create table app_passwords (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  access text not null check (access in ('read', 'everything')),
  -- SHA-256: 140 random bits cannot be guessed, however fast the hash
  digest bytea not null,
  created_at timestamptz not null,
  -- within an hour
  last_used_at timestamptz,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Networks from which the owner of a mailbox has signed in: a flood of guesses from elsewhere does not lock the owner out.
create table sign_in_networks (
  project_id uuid not null,
  mailbox_id uuid not null,
  network text not null,
  -- within a day
  seen_at timestamptz not null,
  primary key (project_id, mailbox_id, network),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- The second step of the web client: codes of an app, recovery codes, passkeys. As those of users.

create table mailbox_totp (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- sealed with POSTHORN_SECRET
  secret text not null,
  -- the time step of the last code (RFC 6238, section 5.2): each code works once
  last_step bigint not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- A row is deleted when its code is used.
create table mailbox_recovery_codes (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- SHA-256: 80 random bits cannot be guessed, however fast the hash
  code_sha256 bytea not null,
  primary key (project_id, mailbox_id, code_sha256),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_passkeys (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  -- as the authenticator names it
  credential_id bytea not null unique,
  -- COSE (RFC 9053)
  public_key bytea not null,
  -- how often it signed; 0 with authenticators that do not count
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Browsers that are signed in to the web client. A session is valid while the password and the count of the mailbox are those with which it began.
create table web_sessions (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- SHA-256: 256 random bits cannot be guessed, however fast the hash
  token_sha256 bytea not null unique,
  -- SHA-256 of the hash of the password
  password_sha256 bytea not null,
  sessions_version int not null,
  created_at timestamptz not null,
  -- within a minute
  used_at timestamptz not null,
  -- when the owner last proved to be there: at sign-in, and when asked again
  confirmed_at timestamptz not null,
  address text not null,
  user_agent text not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index web_sessions_used on web_sessions (used_at);

-- The last sign-ins of each mailbox: one for each door and address.
create table mailbox_sign_ins (
  project_id uuid not null,
  mailbox_id uuid not null,
  door text not null,
  address text not null,
  -- what it was opened with; null: the password of the mailbox
  app_password_id uuid,
  signed_in_at timestamptz not null,
  primary key (project_id, mailbox_id, door, address),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Open sessions of each process, as of some seconds ago. Rows of a process that has ended mean nothing. A crash of PostgreSQL empties it.
create unlogged table mailbox_sessions (
  process_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  mailbox_id uuid not null,
  door text not null,
  address text not null,
  app_password_id uuid,
  opened_at timestamptz not null,
  primary key (process_id, id)
);
create index mailbox_sessions_mailbox on mailbox_sessions (project_id, mailbox_id);

-- Mailboxes whose sessions must check whether they may go on. Written by triggers, so that no version and no path forgets it.
create table credential_changes (
  mailbox_id uuid not null,
  -- A process that has read the table knows by it which rows are new, in whatever order transactions end.
  transaction_id xid8 not null default pg_current_xact_id(),
  changed_at timestamptz not null default now()
);
create index credential_changes_transaction on credential_changes (transaction_id);
create index credential_changes_time on credential_changes (changed_at);

create function credential_changed() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) values (new.id);
  perform pg_notify('posthorn_credentials', '');
  return null;
end $$;
create trigger mailboxes_credential_changed after update of password_hash, second_factor_since on mailboxes
  for each row when (old.password_hash is distinct from new.password_hash or old.second_factor_since is distinct from new.second_factor_since)
  execute function credential_changed();
create trigger mailboxes_sessions_ended after update of sessions_version on mailboxes
  for each row when (old.sessions_version is distinct from new.sessions_version) execute function credential_changed();

create function mailboxes_are_gone() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) select id from gone;
  perform pg_notify('posthorn_credentials', '') from gone limit 1;
  return null;
end $$;
create trigger mailboxes_gone after delete on mailboxes
  referencing old table as gone for each statement execute function mailboxes_are_gone();

create function app_passwords_are_gone() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) select distinct mailbox_id from gone;
  perform pg_notify('posthorn_credentials', '') from gone limit 1;
  return null;
end $$;
create trigger app_passwords_gone after delete on app_passwords
  referencing old table as gone for each statement execute function app_passwords_are_gone();

-- Connections that a browser keeps open end with its session.
create function web_sessions_are_gone() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) select distinct mailbox_id from gone;
  perform pg_notify('posthorn_credentials', '') from gone limit 1;
  return null;
end $$;
create trigger web_sessions_gone after delete on web_sessions
  referencing old table as gone for each statement execute function web_sessions_are_gone();

-- == The mail of mailboxes ==

-- The numbers of a mailbox. Every write of a mailbox's mail locks this row first: so it reads what it counts on, allocates UIDs and MODSEQs in the order
-- of commits, and cannot deadlock. Made when it is first used; deleted with the mailbox, in the same statement.
create table mailbox_states (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- of all its messages, in all folders
  octets bigint not null default 0,
  -- the last UIDVALIDITY that a folder of it was given (RFC 9051, section 2.3.1.1)
  uid_validity bigint not null,
  -- its owner was warned at so many per cent of the quota, or is about to be
  warned_percent smallint not null default 0,
  -- the warning that is to be put into the Inbox
  warning_due boolean not null default false,
  -- since when messages are rejected for its quota
  full_since timestamptz,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
) with (fillfactor = 50);
create index mailbox_states_warnings on mailbox_states (project_id, mailbox_id) where warning_due;

create table folders (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- MAILBOXID of IMAP (RFC 8474)
  id uuid not null,
  -- the whole path with '/'; null: the folder was deleted, and its messages are to be deleted
  name text collate "C",
  role text check (role in ('inbox', 'sent', 'drafts', 'junk', 'trash', 'archive')),
  subscribed boolean not null default true,
  uid_validity bigint not null,
  uid_next int not null default 1,
  highest_modseq bigint not null default 1,
  -- what was expunged up to this MODSEQ is not known any more (RFC 7162, section 3.2.5.2)
  forgotten_modseq bigint not null default 0,
  messages int not null default 0,
  unseen int not null default 0,
  octets bigint not null default 0,
  -- all that its messages ever had
  keywords text[] not null default '{}',
  -- Messages from this UID on are \Recent for the session that selects the folder next (RFC 3501, section 2.3.2).
  recent_uid int not null default 1,
  -- the uses that a mail app named for the folder, beside its role (RFC 6154, section 3)
  uses text[] not null default '{}',
  -- Created for a folder below it, and not requested itself: a request to create it succeeds while it never held a message.
  unasked boolean not null default false,
  -- rows of conversations
  conversations int not null default 0,
  -- Messages with lower UIDs are not in conversations yet; a worker lists them from the newest to the oldest (src/store/list-older.ts).
  unlisted_below int not null default 1,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailbox_states on delete cascade
) with (fillfactor = 50);
create unique index folders_name on folders (project_id, mailbox_id, name);
create unique index folders_role on folders (project_id, mailbox_id, role) where role is not null;
create index folders_deleted on folders (project_id, mailbox_id, id) where name is null;
-- Folders whose older messages are still to be listed as conversations: almost always none.
create index folders_unlisted on folders (project_id, mailbox_id, id) where unlisted_below > 1;

-- Names that are subscribed, and no folder has them any more (RFC 9051, section 6.3.7).
create table subscriptions (
  project_id uuid not null,
  mailbox_id uuid not null,
  name text collate "C" not null,
  primary key (project_id, mailbox_id, name),
  foreign key (project_id, mailbox_id) references mailbox_states on delete cascade
);

-- What changes of a message, and as little as a sync reads. A copy in another folder is a row of its own.
create table messages (
  project_id uuid not null,
  mailbox_id uuid not null,
  folder_id uuid not null,
  uid int not null,
  modseq bigint not null,
  -- 1 seen, 2 answered, 4 flagged, 8 deleted, 16 draft
  flags smallint not null,
  keywords text[] not null,
  -- EMAILID of IMAP (RFC 8474): copies share it
  object_id uuid not null,
  octets int not null,
  internal_date timestamptz not null,
  -- when it was put into this folder (RFC 8514)
  save_date timestamptz not null,
  primary key (project_id, mailbox_id, folder_id, uid)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create index messages_modseq on messages (project_id, mailbox_id, folder_id, modseq);
create index messages_object on messages (project_id, mailbox_id, object_id);
-- EXPUNGE, CLOSE and STATUS (DELETED) ask for few among many.
create index messages_deleted on messages (project_id, mailbox_id, folder_id, uid) where flags & 8 <> 0;
-- A search reads the messages of a mailbox from the newest on, until a page is full. The id of a mailbox is unique without its project.
create index messages_received on messages (mailbox_id, internal_date, object_id);

-- What never changes of a message, once for all its copies in a mailbox.
create table message_contents (
  project_id uuid not null,
  mailbox_id uuid not null,
  object_id uuid not null,
  -- of its bytes, in blobs
  digest bytea not null,
  octets int not null,
  thread_id uuid not null,
  message_id text,
  subject text not null,
  base_subject text not null,
  -- from, replyTo, to, cc, bcc: lists of {name, address}
  addresses json not null,
  sent_at timestamptz,
  preview text not null,
  attachments int not null,
  -- as IMAP has them (RFC 9051, section 7.5.2)
  envelope text not null,
  body_structure text not null,
  -- what search reads
  text text not null,
  -- null: it was not received by SMTP
  authentication json,
  spam json,
  -- What SEARCH, SORT and THREAD of IMAP ask of a message beside the above. Null: not recorded, and read from the bytes of the message.
  -- All header fields in normal form (src/store/facts/header-text.ts).
  header text,
  -- the day of its Date field as it is written, whatever the zone (RFC 9051, section 6.4.4, SENTON)
  sent_on date,
  -- the Message-IDs that it answers, the oldest first (RFC 5256, section 3)
  ancestors text[],
  -- how many octets a message gains where all of its lines have to end with CRLF (POP3)
  crlf_growth int not null default 0,
  -- Its object_id was made long before it was received: mail that waited to be delivered locally. A segment of the index may be past it already, so
  -- search reads all of these (src/store/search/find-text.ts).
  is_late boolean not null default false,
  -- The header fields that lists of mail apps are made of, as they are in the message (src/rfc/imap/usual-fields.ts). Null: they are read from its bytes.
  usual_fields text,
  primary key (project_id, mailbox_id, object_id)
);
-- Before a blob is deleted: which messages have it.
create index message_contents_digest on message_contents (project_id, digest);
create index message_contents_thread on message_contents (project_id, mailbox_id, thread_id);
-- Few messages gain any: those that a mail app put there with other line ends.
create index message_contents_crlf on message_contents (project_id, mailbox_id, object_id) include (crlf_growth) where crlf_growth <> 0;
create index message_contents_late on message_contents (project_id, mailbox_id, object_id) where is_late;

-- Which thread the messages belong to that name a Message-ID, or answer a subject.
create table thread_links (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- a hash of what they name
  link uuid not null,
  thread_id uuid not null,
  primary key (project_id, mailbox_id, link)
);
create index thread_links_thread on thread_links (project_id, mailbox_id, thread_id);

-- UIDs of expunged messages, from the first to the last, for VANISHED (RFC 7162, section 3.2.10).
create table expunged (
  project_id uuid not null,
  mailbox_id uuid not null,
  folder_id uuid not null,
  modseq bigint not null,
  first_uid int not null,
  last_uid int not null,
  expunged_at timestamptz not null,
  -- threads that the messages belonged to; null: not recorded
  thread_ids uuid[],
  primary key (project_id, mailbox_id, folder_id, modseq, first_uid)
);
create index expunged_time on expunged (expunged_at);

-- The conversations of each folder, newest first, as the web client lists them: a row for each thread that a folder has messages of. Triggers keep
-- them (docs/decisions/0084-conversations-as-rows.md). A transaction that writes messages has locked the mailbox, so no two count at the same time.
create table conversations (
  project_id uuid not null,
  mailbox_id uuid not null,
  folder_id uuid not null,
  thread_id uuid not null,
  -- of the newest message in this folder: by the time at which it was received, then by its UID
  newest_at timestamptz not null,
  newest_uid int not null,
  -- of its messages in this folder
  messages int not null,
  unseen int not null,
  flagged int not null,
  drafts int not null,
  -- with attachments
  files int not null,
  primary key (project_id, mailbox_id, folder_id, thread_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- A jump to a row of a long list reads this alone, so it is narrow: the id of a folder is unique without its mailbox.
create index conversations_newest on conversations (folder_id, newest_at, newest_uid);

-- The rows of a statement are few in one and a thousand in the next, and the plan stays the same: it finds each of them by a key.
create function conversations_came() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with came as (
    select n.project_id, n.mailbox_id, n.folder_id, c.thread_id, max(n.internal_date) as newest_at,
      (array_agg(n.uid order by n.internal_date desc, n.uid desc))[1] as newest_uid, count(*)::int as messages,
      (count(*) filter (where n.flags & 1 = 0))::int as unseen, (count(*) filter (where n.flags & 4 <> 0))::int as flagged,
      (count(*) filter (where n.flags & 16 <> 0))::int as drafts, (count(*) filter (where c.attachments > 0))::int as files
    from new_rows n
    join folders f on f.project_id = n.project_id and f.mailbox_id = n.mailbox_id and f.id = n.folder_id and n.uid >= f.unlisted_below
    join message_contents c on c.project_id = n.project_id and c.mailbox_id = n.mailbox_id and c.object_id = n.object_id
    group by n.project_id, n.mailbox_id, n.folder_id, c.thread_id
  ), listed as (
    insert into conversations as v
      (project_id, mailbox_id, folder_id, thread_id, newest_at, newest_uid, messages, unseen, flagged, drafts, files)
    select * from came
    on conflict (project_id, mailbox_id, folder_id, thread_id) do update set
      newest_at = greatest(v.newest_at, excluded.newest_at),
      newest_uid = case when (excluded.newest_at, excluded.newest_uid) > (v.newest_at, v.newest_uid)
        then excluded.newest_uid else v.newest_uid end,
      messages = v.messages + excluded.messages, unseen = v.unseen + excluded.unseen, flagged = v.flagged + excluded.flagged,
      drafts = v.drafts + excluded.drafts, files = v.files + excluded.files
    returning v.project_id, v.mailbox_id, v.folder_id, xmax = 0 as is_new
  )
  update folders f set conversations = f.conversations + l.conversations
  from (
    select project_id, mailbox_id, folder_id, count(*)::int as conversations from listed where is_new
    group by project_id, mailbox_id, folder_id) l
  where f.project_id = l.project_id and f.mailbox_id = l.mailbox_id and f.id = l.folder_id;
  return null;
end $$;
-- A statement that appends a message knows its thread, and lists it itself (src/store/list-new.ts). It says so by the time at which it began,
-- which no other one has. The trigger lists what is copied and moved.
create trigger messages_came after insert on messages
  referencing new table as new_rows for each statement
  when (current_setting('posthorn.listed_at', true) is distinct from statement_timestamp()::text)
  execute function conversations_came();

create function conversations_marked() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with marked as (
    select e.project_id, e.mailbox_id, e.folder_id, c.thread_id,
      sum(case when e.flags & 1 = 0 then e.sign else 0 end)::int as unseen,
      sum(case when e.flags & 4 <> 0 then e.sign else 0 end)::int as flagged,
      sum(case when e.flags & 16 <> 0 then e.sign else 0 end)::int as drafts
    from (
      select 1 as sign, project_id, mailbox_id, folder_id, uid, object_id, flags from new_rows
      union all select -1, project_id, mailbox_id, folder_id, uid, object_id, flags from old_rows) e
    join folders f on f.project_id = e.project_id and f.mailbox_id = e.mailbox_id and f.id = e.folder_id and e.uid >= f.unlisted_below
    join message_contents c on c.project_id = e.project_id and c.mailbox_id = e.mailbox_id and c.object_id = e.object_id
    group by e.project_id, e.mailbox_id, e.folder_id, c.thread_id
  )
  update conversations v set unseen = v.unseen + m.unseen, flagged = v.flagged + m.flagged, drafts = v.drafts + m.drafts
  from marked m
  where v.project_id = m.project_id and v.mailbox_id = m.mailbox_id and v.folder_id = m.folder_id and v.thread_id = m.thread_id
    and (m.unseen, m.flagged, m.drafts) <> (0, 0, 0);
  return null;
end $$;
create trigger messages_marked after update on messages
  referencing old table as old_rows new table as new_rows for each statement execute function conversations_marked();

-- The contents of a message are deleted after its last copy, so its thread is known here. A deleted mailbox has no folders any more: its conversations
-- are deleted with the rest (src/store/delete-mail.ts).
create function conversations_left() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with went as (
    select o.project_id, o.mailbox_id, o.folder_id, c.thread_id, min(f.unlisted_below) as unlisted_below, array_agg(o.uid) as uids,
      count(*)::int as messages, (count(*) filter (where o.flags & 1 = 0))::int as unseen,
      (count(*) filter (where o.flags & 4 <> 0))::int as flagged, (count(*) filter (where o.flags & 16 <> 0))::int as drafts,
      (count(*) filter (where c.attachments > 0))::int as files
    from old_rows o
    join folders f on f.project_id = o.project_id and f.mailbox_id = o.mailbox_id and f.id = o.folder_id and o.uid >= f.unlisted_below
    join message_contents c on c.project_id = o.project_id and c.mailbox_id = o.mailbox_id and c.object_id = o.object_id
    group by o.project_id, o.mailbox_id, o.folder_id, c.thread_id
  ), emptied as (
    delete from conversations v using went w
    where v.project_id = w.project_id and v.mailbox_id = w.mailbox_id and v.folder_id = w.folder_id and v.thread_id = w.thread_id
      and v.messages <= w.messages
    returning v.project_id, v.mailbox_id, v.folder_id
  ), lessened as (
    update conversations v set messages = v.messages - w.messages, unseen = v.unseen - w.unseen, flagged = v.flagged - w.flagged,
      drafts = v.drafts - w.drafts, files = v.files - w.files,
      (newest_at, newest_uid) = (
        select n.newest_at, n.newest_uid from (
          select v.newest_at, v.newest_uid where not v.newest_uid = any (w.uids)
          union all (
            select m.internal_date, m.uid from message_contents c
            join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
            where v.newest_uid = any (w.uids) and c.project_id = w.project_id and c.mailbox_id = w.mailbox_id
              and c.thread_id = w.thread_id and m.folder_id = w.folder_id and m.uid >= w.unlisted_below
            order by m.internal_date desc, m.uid desc limit 1)) n)
    from went w
    where v.project_id = w.project_id and v.mailbox_id = w.mailbox_id and v.folder_id = w.folder_id and v.thread_id = w.thread_id
      and v.messages > w.messages
  )
  update folders f set conversations = f.conversations - e.conversations
  from (
    select project_id, mailbox_id, folder_id, count(*)::int as conversations from emptied
    group by project_id, mailbox_id, folder_id) e
  where f.project_id = e.project_id and f.mailbox_id = e.mailbox_id and f.id = e.folder_id;
  return null;
end $$;
create trigger messages_left after delete on messages
  referencing old table as old_rows for each statement execute function conversations_left();

-- The words of the messages in a mailbox, for some thousands of messages a row: messages from one object_id to another, in the order of those. Newer ones
-- are read one by one. A row never changes, and can be made again from the messages. Each part of messages has an index of its own: SEARCH of IMAP asks for
-- a word in bodies, or in headers.
create table search_segments (
  project_id uuid not null,
  mailbox_id uuid not null,
  first_object_id uuid not null,
  last_object_id uuid not null,
  documents int not null,
  -- the object_id of each, 16 bytes
  objects bytea not null,
  -- src/store/search/term-list.ts, packed by zstd
  terms bytea not null,
  -- src/store/search/postings.ts
  postings bytea not null,
  -- src/store/search/message-parts.ts
  part text not null,
  primary key (project_id, mailbox_id, part, first_object_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
-- Parts of them are read, or they are packed already.
alter table search_segments alter column objects set storage external;
alter table search_segments alter column terms set storage external;
alter table search_segments alter column postings set storage external;

-- Bytes of messages, once for each project, by their digest. No constraint refers to a row: the statement that writes a reference writes the row too, and
-- the sweeper checks all tables with references before it deletes one.
create table blobs (
  project_id uuid not null,
  -- SHA-256 of the bytes as they were received
  digest bytea not null check (length(digest) = 32),
  -- of the bytes as they were received
  size int not null,
  -- packed by zstd; null: they are an object
  bytes bytea,
  -- the name of that object
  object uuid,
  -- when these bytes were last stored again, to the hour
  used_at timestamptz not null,
  primary key (project_id, digest),
  check (num_nonnulls(bytes, object) = 1)
);
-- What zstd packed does not get smaller.
alter table blobs alter column bytes set storage external;
-- Before an object is deleted: which blobs have it.
create index blobs_object on blobs (project_id, object) where object is not null;

-- What the people of a project called spam and what not, by moving messages into Junk and out of it.
create table spam_training (
  project_id uuid primary key references projects on delete cascade,
  -- how many messages
  junk int not null default 0,
  ham int not null default 0
);
-- How many of those messages had a token. Tokens are numbers below 131,072, so a project has no more rows.
create table spam_tokens (
  project_id uuid not null references spam_training on delete cascade,
  token int not null check (token >= 0 and token < 131072),
  junk int not null,
  ham int not null,
  primary key (project_id, token)
) with (fillfactor = 80);
-- How a message was last classified, so that it counts once.
create table spam_trained (
  project_id uuid not null references spam_training on delete cascade,
  -- the first half of the SHA-256 of its bytes
  message bytea not null check (length(message) = 16),
  kind text not null check (kind in ('junk', 'ham')),
  trained_at timestamptz not null,
  primary key (project_id, message)
);

-- == The mail that mailboxes send ==

-- Mail that mailboxes send by mail apps, and mail that is sent for them. It is in the queue like emails, in a stream of its own, and in no list of the API.
create table submissions (
  project_id uuid not null,
  -- in the queue it is the email_id
  id uuid not null,
  mailbox_id uuid not null,
  -- submitted: by its owner; else why it was sent
  kind text not null,
  -- null: reports are delivered to the mailbox; empty: no one is notified
  reverse_path text,
  -- in normal form, of the From field
  from_address text not null,
  -- whose keys sign it, in A-labels
  from_domain text not null,
  message_id text not null,
  -- of its bytes as they are sent except the signature, in blobs
  digest bytea not null,
  octets int not null,
  -- it needs SMTPUTF8 (RFC 6531)
  is_utf8 boolean not null,
  -- ENVID and RET (RFC 3461)
  envelope_id text,
  returns text check (returns in ('full', 'headers')),
  recipients int not null,
  created_at timestamptz not null,
  -- SHA-256 of the body in its relaxed form (RFC 6376, section 3.4.4), so that no attempt reads the whole message to sign it. Null: it does.
  body_hash bytea,
  primary key (project_id, id)
);
-- What a mailbox has sent in a day.
create index submissions_mailbox on submissions (project_id, mailbox_id, id) include (recipients, kind);
-- Before a blob is deleted: which submissions have it.
create index submissions_digest on submissions (project_id, digest);
-- Submissions that are old enough to be deleted.
create index submissions_age on submissions (id);
-- For a complaint that names its message.
create index submissions_message on submissions (project_id, mailbox_id, message_id);

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
  -- the last reply, as timelines show it
  detail json,
  ended_at timestamptz,
  -- when its sender was notified that it is delayed
  delay_told_at timestamptz,
  -- the report of a server after it took the message: it bounced, or the recipient complained
  reported text check (reported in ('bounced', 'complained')),
  reported_at timestamptz,
  primary key (project_id, submission_id, recipient_index)
) with (fillfactor = 70);
create index submission_recipients_notices on submission_recipients (project_id, submission_id) where notice_due;
-- Their senders are to be notified after some hours that they are delayed.
create index submission_recipients_delays on submission_recipients (submission_id)
  where outcome is null and delay_told_at is null and notify & 4 <> 0;
-- Whose mail was rejected or complained about of late.
create index submission_recipients_refused on submission_recipients (ended_at) where outcome = 'failed';
create index submission_recipients_reported on submission_recipients (reported_at) where reported is not null;

-- What a login has sent within a day: a client that lost the answer may send it again.
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

-- Mailboxes that were ever locked for sending.
create table sending_locks (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- null: it was unlocked
  locked_at timestamptz,
  reason text not null check (reason in ('refused', 'complained')),
  -- mail that was sent before does not count any more
  counts_from timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index sending_locks_locked on sending_locks (locked_at) where locked_at is not null;

-- == Rules, vacation, forwarding and the block list (docs/rules.md) ==

create table mailbox_rules (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- from 1 on, without gaps
  position int not null,
  name text not null,
  is_enabled boolean not null,
  -- one of the conditions is enough
  is_any boolean not null,
  conditions json not null,
  actions json not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_blocks (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- an address in normal form, in lower case, or a domain: that and all below it
  sender text not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, sender),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_vacations (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- null: made from that of the message
  subject text,
  text text not null,
  html text,
  starts_at timestamptz,
  -- it is over then
  ends_at timestamptz,
  -- for how long a sender gets no other answer
  days smallint not null,
  set_at timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Senders that a mailbox has answered. A row is deleted after 31 days.
create table vacation_answers (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in lower case
  sender text not null,
  answered_at timestamptz not null,
  primary key (project_id, mailbox_id, sender),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index vacation_answers_age on vacation_answers (answered_at);

create table mailbox_forwards (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in normal form
  target text not null,
  keeps_copy boolean not null,
  set_at timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Targets, of rules too, that rejected the last mail that was forwarded to them.
create table forward_failures (
  project_id uuid not null,
  mailbox_id uuid not null,
  target text not null,
  -- in a row
  failures int not null,
  since timestamptz not null,
  -- nothing is forwarded to it any more
  off_since timestamptz,
  -- its last reply
  reply text not null,
  primary key (project_id, mailbox_id, target),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Forwarded mail that did not arrive: it is counted against its target, and brought back where there is no other copy.
create table failed_forwards (
  project_id uuid not null,
  submission_id uuid not null,
  failed_at timestamptz not null default now(),
  primary key (project_id, submission_id)
);

-- By a trigger, so that no path to the end of a delivery forgets it, nor a report that is received later.
create function forward_failed() returns trigger language plpgsql as $$
begin
  insert into failed_forwards (project_id, submission_id)
  select s.project_id, s.id from submissions s
  where s.project_id = new.project_id and s.id = new.submission_id and s.kind in ('forward', 'moved')
  on conflict do nothing;
  return null;
end $$;
create trigger submission_recipients_forward_failed after update of outcome on submission_recipients
  for each row when (new.outcome = 'failed' and old.outcome is distinct from 'failed')
  execute function forward_failed();

-- == The web client ==

-- Senders whose remote images the owner of a mailbox always sees. It counts only where it is sure that a message is from them.
create table trusted_senders (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in lower case
  address text not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, address),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Files that were uploaded while a message was written.
create table uploads (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  octets int not null,
  -- what it was taken out of: the message and its part; null: it was uploaded
  source text,
  -- when a draft last had it
  used_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index uploads_used on uploads (used_at);

-- The bytes of each, in order.
create table upload_pieces (
  project_id uuid not null,
  mailbox_id uuid not null,
  upload_id uuid not null,
  position smallint not null,
  digest bytea not null,
  primary key (project_id, mailbox_id, upload_id, position),
  foreign key (project_id, mailbox_id, upload_id) references uploads on delete cascade
);
create index upload_pieces_digest on upload_pieces (project_id, digest);

-- Drafts with what their message cannot say, and mail that waits to be sent.
create table drafts (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- the composer that saved it last, by a name of its own
  client text not null,
  -- the message in Drafts, or the one that was there last; null: there was none yet
  object_id uuid,
  content json not null,
  uploads uuid[] not null,
  saved_at timestamptz not null,
  -- Null: it is a draft. Else it is queued, and in no folder.
  sends_at timestamptz,
  is_scheduled boolean not null default false,
  -- until then a worker has claimed it
  claimed_until timestamptz not null default '-infinity',
  -- how often a worker began to send it
  attempts smallint not null default 0,
  sent_at timestamptz,
  -- why it was not sent, in words
  problem text,
  primary key (project_id, mailbox_id, id),
  unique (project_id, mailbox_id, client),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index drafts_object on drafts (project_id, mailbox_id, object_id);
create index drafts_due on drafts (sends_at) where sends_at is not null and sent_at is null;
create index drafts_saved on drafts (saved_at);

-- Addresses that the owner of a mailbox has written to.
create table written_addresses (
  project_id uuid not null,
  mailbox_id uuid not null,
  address_key text not null,
  address text not null,
  name text,
  -- all words of both in normal form, each behind a space
  words text not null,
  uses int not null,
  written_at timestamptz not null,
  primary key (project_id, mailbox_id, address_key),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- How the owner of a mailbox reads. Only what differs from the start: no row, no choice.
create table mailbox_preferences (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- remote images and styles, for senders that are not trusted: 'ask' or 'always' (by the proxy)
  remote_content text not null default 'ask',
  -- in a conversation
  newest_first boolean not null default false,
  -- what a swiped row does
  swipe_left text not null default 'trash',
  swipe_right text not null default 'archive',
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Answers to invitations.
create table invitation_answers (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- SHA-256 of the event's UID, and of which one of a series is meant
  event bytea not null,
  answer text not null,
  -- of the event, as it was answered
  sequence int not null,
  answered_at timestamptz not null,
  primary key (project_id, mailbox_id, event),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- == Large files that are sent as a link ==

create table file_links (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- SHA-256 of the 22 characters of the token
  token_digest bytea not null,
  -- the token, for its owner alone
  token_sealed text not null,
  password_hash text,
  expires_at timestamptz not null,
  max_downloads int,
  downloads int not null default 0,
  downloaded_octets bigint not null default 0,
  revoked_at timestamptz,
  -- it was made for a draft that is not sent yet
  is_for_draft boolean not null,
  -- the draft that has its card; null: none was saved with it
  draft_id uuid,
  -- of the message that it was sent with
  subject text,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create unique index file_links_token on file_links (token_digest);
create index file_links_mailbox on file_links (project_id, mailbox_id, id);
create index file_links_expiry on file_links (expires_at);
create index file_links_drafts on file_links (created_at) where is_for_draft and revoked_at is null;

create table link_files (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- null: it is in no link yet
  link_id uuid,
  -- its position in the link
  position smallint not null default 0,
  name text not null,
  type text not null,
  -- as they were announced
  octets bigint not null,
  -- that are durable
  received bigint not null default 0,
  -- CRC-32 of those
  crc32 bigint not null default 0,
  whole_at timestamptz,
  -- its bytes are deleted, and count no more
  gone_at timestamptz,
  -- null: it was not scanned yet
  scan text check (scan in ('clean', 'infected', 'unscanned')),
  scan_found text,
  scan_due_at timestamptz not null default now(),
  created_at timestamptz not null,
  -- when its last byte was received, or it left a link
  touched_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade,
  foreign key (project_id, link_id) references file_links on delete cascade,
  check (received <= octets)
);
create index link_files_mailbox on link_files (project_id, mailbox_id, id);
create index link_files_link on link_files (project_id, link_id, position);
create index link_files_live on link_files (project_id) where gone_at is null;
create index link_files_loose on link_files (touched_at) where gone_at is null and (link_id is null or whole_at is null);
create index link_files_unscanned on link_files (scan_due_at) where scan is null and whole_at is not null and gone_at is null;

-- Each part is an object of its own, in the folder of its project.
create table link_file_parts (
  project_id uuid not null,
  file_id uuid not null,
  -- how many bytes are before it
  starts_at bigint not null,
  octets int not null,
  object uuid not null,
  -- SHA-256
  digest bytea not null,
  primary key (project_id, file_id, starts_at),
  foreign key (project_id, file_id) references link_files on delete cascade
);
create unique index link_file_parts_object on link_file_parts (project_id, object);

-- Objects of deleted parts, until they are deleted too.
create table gone_objects (
  project_id uuid not null,
  object uuid not null,
  primary key (project_id, object)
);

-- Every path that deletes a part, also with its mailbox, leaves its object here.
create function keep_gone_objects() returns trigger language plpgsql as $$
begin
  insert into gone_objects (project_id, object) select project_id, object from gone on conflict do nothing;
  return null;
end
$$;
create trigger link_file_parts_gone after delete on link_file_parts
  referencing old table as gone for each statement execute function keep_gone_objects();

create table link_downloads (
  project_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  at timestamptz not null,
  octets bigint not null default 0,
  what text not null check (what in ('file', 'zip')),
  -- of the file
  position smallint,
  -- A download that broke off goes on, also with programs that send no ticket: known by the network of the client, as a keyed hash of it.
  reader bytea,
  -- the last byte that was sent is before this one
  reached bigint,
  -- when it ended or broke off; null: it is under way, or its process was killed
  left_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, link_id) references file_links on delete cascade
);
create index link_downloads_link on link_downloads (project_id, link_id, at);

-- == Insights ==

-- The index of emails by words (docs/decisions/0066-emails-by-words.md). Nothing here is written when an email is accepted, and all of it can be made
-- again from the emails.

-- Emails of a project from one id (left out) to another, in the order of their ids. Together the rows of a project cover all ids up to the greatest
-- `last_id`, without a gap.
create table email_segments (
  project_id uuid not null,
  after_id uuid not null,
  last_id uuid not null,
  documents int not null,
  -- The id of each, 16 bytes. Null: the words are not there, or not any more; its emails are read one by one.
  ids bytea,
  -- Every email of the range was there when it was last indexed.
  is_settled boolean not null default false,
  primary key (project_id, last_id)
);
-- Parts of it are read.
alter table email_segments alter column ids set storage external;
create index email_segments_open on email_segments (project_id, last_id) where ids is null or not is_settled;

-- The words of a segment in their order, some dozens a row.
create table email_words (
  project_id uuid not null,
  -- last_id of the segment
  segment_id uuid not null,
  first_word text collate "C" not null,
  -- src/insights/search/word-blocks.ts
  words text collate "C" not null,
  postings bytea not null,
  primary key (project_id, segment_id, first_word)
);

-- The outcomes of the emails of each hour (docs/decisions/0071-counts-by-hour.md). All of it can be counted again while the emails are there, and it stays
-- when they are deleted.
create table email_counts (
  project_id uuid not null,
  -- UTC: the emails that were accepted in it
  hour timestamptz not null,
  emails int not null,
  recipients int not null,
  -- recipients, each at its furthest stage
  delivered int not null,
  opened int not null,
  clicked int not null,
  failed int not null,
  bounced int not null,
  complained int not null,
  counted_at timestamptz not null,
  -- when it is counted again; infinity: it stays as it is
  next_at timestamptz not null,
  -- when its rows of email_metrics were made; null: they never were
  metrics_at timestamptz,
  primary key (project_id, hour)
);
create index email_counts_next on email_counts (next_at);
create index email_counts_without_metrics on email_counts (hour) where metrics_at is null;

-- The outcomes of the emails of each hour and day, by what they have in common (docs/decisions/0081-metrics-by-day.md). All of it can be counted again while
-- the emails are there, and it stays when they are deleted.
create table email_metrics (
  project_id uuid not null,
  -- An hour is there while its emails are counted again; a day stays.
  span text not null check (span in ('hour', 'day')),
  -- what `value` is: all (then it is empty), domain, provider, stream or tag
  dimension text collate "C" not null,
  -- UTC: the emails that were accepted from then on
  begins_at timestamptz not null,
  -- all values together that are not named in this time
  is_rest boolean not null,
  value text collate "C" not null,
  -- those whose first recipient is one of these
  emails int not null,
  recipients int not null,
  -- recipients, each at its furthest stage
  delivered int not null,
  bounced_hard int not null,
  bounced_soft int not null,
  complained int not null,
  failed int not null,
  opened_by_people int not null,
  opened_by_machines int not null,
  clicked int not null,
  -- how many took how long from the 202 to their server (src/insights/counts/latency.ts); zeros at the end are left out
  latency int[] not null,
  primary key (project_id, span, dimension, begins_at, is_rest, value)
-- The rows of this hour change with each count, and no index has what changes.
) with (fillfactor = 70);
-- Parts of it are read, row by row: without a short header no copy is made.
alter table email_metrics alter column latency set storage plain;
create index email_metrics_days on email_metrics (begins_at) where span = 'day';

-- What each project used, day by day (UTC). It is counted each hour and stored for 400 days; the emails of the API are in email_counts. No reference: the rows
-- of a deleted project are deleted in the background.
create table usage_days (
  project_id uuid not null,
  day date not null,
  storage_bytes bigint not null,
  mailboxes int not null,
  own_domains int not null,
  mailbox_emails int not null,
  -- Bytes of the files of live links, as they were announced; null: not counted.
  file_link_bytes bigint,
  primary key (project_id, day)
);
create index usage_days_day on usage_days (day);

-- == Retention ==

-- Emails whose bodies are deleted as soon as no recipient needs them any more.
create table waiting_bodies (
  project_id uuid not null,
  email_id uuid not null,
  -- the subject, the header fields and the tags are deleted too: a person in it was erased
  redacts boolean not null default false,
  primary key (project_id, email_id)
);

-- How many emails of a month (UTC) were deleted: with those that are there it is the number that plans limit.
create table deleted_emails (
  project_id uuid not null,
  -- its first day
  month date not null,
  emails bigint not null,
  primary key (project_id, month)
);

-- The same for submissions.
create table deleted_submissions (
  project_id uuid not null,
  -- its first day, UTC
  month date not null,
  submissions bigint not null,
  primary key (project_id, month)
);

-- How many submissions of a month each mailbox sent that are deleted: they are after a week.
create table deleted_submissions_of_mailboxes (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- its first day
  month date not null,
  submissions int not null,
  primary key (project_id, mailbox_id, month),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Deleted things whose rows are still to be deleted: of a project everything, of a webhook its log, of a mailbox its mail.
create table removals (
  project_id uuid not null,
  -- of the webhook or the mailbox; of a project its own
  id uuid not null,
  kind text not null check (kind in ('project', 'webhook', 'mailbox')),
  requested_at timestamptz not null default now(),
  primary key (project_id, id)
);

-- The mail of a deleted mailbox is deleted in the background, whichever path deletes the mailbox, also the end of its project.
create function remove_mail() returns trigger language plpgsql as $$
begin
  insert into removals (project_id, id, kind) select project_id, id, 'mailbox' from gone on conflict do nothing;
  return null;
end $$;
create trigger mailboxes_deleted after delete on mailboxes
  referencing old table as gone for each statement execute function remove_mail();

-- == The first partitions ==

-- The first partition of each growing table ends today, and the last one begins there and never ends. src/db/partitions.ts goes on from there, and gives
-- each new partition what the last one has.
do $$
declare
  -- Vacuum runs after so many rows: a share of a large table would be hours of bloat, and a share of a small one is reached all the time.
  vacuumed constant text := 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000';
  -- The vacuum after so many new rows also freezes them: a closed partition is not read again when the ids of transactions wrap around.
  written_once constant text := 'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000, autovacuum_freeze_min_age = 0';
  full_pages constant text := 'fillfactor = 100, ' || written_once;
  bound constant text := overlay(lpad(to_hex((extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
    || '-7000-8000-000000000000';
  growing record;
begin
  for growing in
    select * from (values ('emails', 'fillfactor = 90'), ('email_contents', written_once), ('email_tags', written_once), ('email_recipients', full_pages),
      ('events', written_once), ('deliveries', full_pages), ('sandbox_messages', written_once)) tables (name, options)
  loop
    execute format('create table %I partition of %I for values from (minvalue) to (%L) with (%s, %s)',
      growing.name || '_first', growing.name, bound, vacuumed, growing.options);
    execute format('create table %I partition of %I for values from (%L) to (maxvalue) with (%s, %s)',
      growing.name || '_last', growing.name, bound, vacuumed, growing.options);
  end loop;
end $$;

-- No query asks for parts of bodies by their content: sampling them costs more than all the rest of an analyze. A new partition does not get this from
-- its table.
alter table email_contents alter column html set statistics 0, alter column text set statistics 0;

-- A PostgreSQL that was built without lz4, as the embedded one, compresses in its older way, which takes 13 microseconds more for 2 kB.
do $$
begin
  if (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table email_contents_first alter column html set compression lz4, alter column text set compression lz4;
    alter table email_contents_last alter column html set compression lz4, alter column text set compression lz4;
  end if;
end $$;

-- PostgreSQL 18 may crash where it leaves out partitions while a statement runs. The program turns that off for each of its sessions
-- (src/db/session-settings.ts); this is for the sessions of others.
do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    execute format('alter database %I set enable_partition_pruning = off', current_database());
  end if;
exception when insufficient_privilege then
  -- Another role than the owner of the database may migrate.
  null;
end $$;
