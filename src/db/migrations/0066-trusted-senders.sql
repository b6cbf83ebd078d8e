-- Whose images of elsewhere the owner of a mailbox always sees. It counts only where it is sure that a message is from them.
create table trusted_senders (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in lower case
  address text not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, address),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
