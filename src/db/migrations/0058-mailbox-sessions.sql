-- Who has opened a mailbox of late, who has it open, and a way to end that.

-- counted on to end what is open: whoever opened it before has not the number any more
alter table mailboxes add column sessions_version int not null default 0;
create trigger mailboxes_sessions_ended after update of sessions_version on mailboxes
  for each row when (old.sessions_version is distinct from new.sessions_version) execute function credential_changed();

-- The newest of each mailbox: one for each door and address.
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

-- What is open in each process, as it was some seconds ago. Rows of a process that is gone mean nothing. After a crash of PostgreSQL it is empty.
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
