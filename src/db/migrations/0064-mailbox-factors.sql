-- The second step of the web client: codes of an app, recovery codes, passkeys. As those of users (0055).

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

-- A row goes when its code is used.
create table mailbox_recovery_codes (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- SHA-256: 80 random bits are not guessed, however fast the hash
  code_sha256 bytea not null,
  primary key (project_id, mailbox_id, code_sha256),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_passkeys (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  -- as the authenticator calls it
  credential_id bytea not null unique,
  -- COSE (RFC 9053)
  public_key bytea not null,
  -- how often it signed; 0 with those that do not count
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
