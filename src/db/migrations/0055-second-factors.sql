-- The other ways in to the dashboard: codes of an app, recovery codes, passkeys, an OpenID provider.

create table user_totp (
  user_id uuid primary key references users on delete cascade,
  -- sealed with POSTHORN_SECRET
  secret text not null,
  -- the time step of the last code (RFC 6238, section 5.2): each code works once
  last_step bigint not null,
  created_at timestamptz not null
);

-- A row goes when its code is used.
create table user_recovery_codes (
  user_id uuid not null references users on delete cascade,
  -- SHA-256: 80 random bits are not guessed, however fast the hash
  code_sha256 bytea not null,
  primary key (user_id, code_sha256)
);

create table user_passkeys (
  user_id uuid not null references users on delete cascade,
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
  primary key (user_id, id)
);

-- What an OpenID provider calls a user.
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
