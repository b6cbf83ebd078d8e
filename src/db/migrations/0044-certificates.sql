-- Certificates that ACME obtains, for all machines. A directory is the address of a certificate authority.

create table acme_accounts (
  directory text primary key,
  -- the private key, sealed: the server knows the account by it
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
  -- who obtains it puts it off, so that nobody else does
  next_attempt_at timestamptz not null default now(),
  -- since the last success
  failures integer not null default 0,
  last_error text,
  primary key (directory, name)
);

-- What is being proved: any machine may be asked for it.
create table acme_challenges (
  token text primary key,
  name text not null,
  type text not null check (type in ('http-01', 'tls-alpn-01')),
  key_authorization text not null,
  expires_at timestamptz not null
);
