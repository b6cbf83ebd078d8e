-- Who may sign in to mailboxes, and how often somebody may guess.

-- since when a second factor is asked for in the web client: mail apps then need app passwords
alter table mailboxes add column second_factor_since timestamptz;

create table app_passwords (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  access text not null check (access in ('read', 'everything')),
  -- SHA-256: 140 random bits are not guessed, however fast the hash
  digest bytea not null,
  created_at timestamptz not null,
  -- within an hour
  last_used_at timestamptz,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Where the owner of a mailbox has signed in from: a flood of guesses from elsewhere is not in their way.
create table sign_in_networks (
  project_id uuid not null,
  mailbox_id uuid not null,
  network text not null,
  -- within a day
  seen_at timestamptz not null,
  primary key (project_id, mailbox_id, network),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Guesses, for each account and each network: when all that were made are forgiven. After a crash of PostgreSQL it is empty.
create unlogged table sign_in_guesses (
  -- a hash of what it is for
  key uuid primary key,
  forgiven_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Mailboxes whose sessions must look whether they may go on. Written by triggers, so that no version and no path forgets it.
create table credential_changes (
  mailbox_id uuid not null,
  -- whoever has looked knows by it what it has not seen, in whatever order transactions end
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
