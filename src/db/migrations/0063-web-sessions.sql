-- Browsers in which somebody is signed in to the web client. A session is good while the password and the count of the mailbox are those with which it began.
create table web_sessions (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- SHA-256: 256 random bits are not guessed, however fast the hash
  token_sha256 bytea not null unique,
  -- SHA-256 of the hash of the password
  password_sha256 bytea not null,
  sessions_version int not null,
  created_at timestamptz not null,
  -- within a minute
  used_at timestamptz not null,
  -- since when it is sure that the owner sits there: at sign-in, and when asked again
  confirmed_at timestamptz not null,
  address text not null,
  user_agent text not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index web_sessions_used on web_sessions (used_at);

-- What a browser keeps open ends with its session.
create function web_sessions_are_gone() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) select distinct mailbox_id from gone;
  perform pg_notify('posthorn_credentials', '') from gone limit 1;
  return null;
end $$;
create trigger web_sessions_gone after delete on web_sessions
  referencing old table as gone for each statement execute function web_sessions_are_gone();

-- Owners of mailboxes change settings themselves.
alter table audit_log drop constraint audit_log_actor_kind_check,
  add constraint audit_log_actor_kind_check check (actor_kind in ('user', 'api-key', 'command-line', 'system', 'mailbox')) not valid;
