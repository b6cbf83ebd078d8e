-- The senders of a mailbox besides the mailbox itself, whose name and signature stay in its own columns. A row with the id of the mailbox
-- has what that main identity has in addition; its address and name are null.
create table mailbox_identities (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  address text,
  display_name text,
  reply_to text,
  signature_html text,
  bcc_self boolean not null default false,
  is_default boolean not null default false,
  -- uploads that the signature shows
  uploads uuid[] not null default '{}',
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table canned_responses (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  subject text,
  html text not null,
  -- the beginning of the text, for lists
  preview text not null,
  uploads uuid[] not null default '{}',
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create unique index canned_responses_by_name on canned_responses (project_id, mailbox_id, lower(name));

-- for how long sending can be undone; null: for as long as the service sets
alter table mailbox_preferences add column undo_seconds smallint;
