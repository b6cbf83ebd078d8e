-- migration: one by one
-- Mailboxes that are moved in from another server keep their UIDs, so that mail apps download nothing twice (src/store/adopt-uids.ts).

alter table folders
  -- UIDs below it are for messages that the old server numbered; mail that is stored otherwise gets this UID or a higher one
  add column if not exists uid_reserved_below int not null default 1,
  -- whether messages of it have a uidl
  add column if not exists has_uidls boolean not null default false;

-- The unique-id that POP3 showed for the message on its old server (RFC 1939, section 7). Null: it is made from UIDVALIDITY and UID.
alter table messages add column if not exists uidl text;
-- No two messages of a folder may get the same.
create index concurrently if not exists messages_uidl on messages (project_id, mailbox_id, folder_id, uidl) where uidl is not null;

-- UIDVALIDITYs of other servers under which deleted folders had messages. No folder may take them over again.
alter table mailbox_states add column if not exists spent_uid_validities bigint[] not null default '{}';

-- Folders on other servers that are copied into mailboxes here, as often as the operator wants until the switch (src/moving).
create table if not exists source_folders (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- user and server
  source text not null,
  -- the path on the other server
  name text collate "C" not null,
  uid_validity bigint not null,
  -- the folder that its messages are copied into
  folder_id uuid not null,
  -- whether that folder took over UIDVALIDITY and UIDs
  keeps_uids boolean not null,
  -- HIGHESTMODSEQ on the other server when everything was copied last; null: not yet, or that server has none
  modseq text,
  -- when it was copied last
  passed_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  unique (project_id, mailbox_id, source, name),
  foreign key (project_id, mailbox_id) references mailbox_states on delete cascade
);
create index if not exists source_folders_passed on source_folders (passed_at);

-- Their messages that were copied. Written in the transaction that stores a message, so that no message is stored twice. Rows without a
-- folder are deleted in batches.
create table if not exists source_messages (
  project_id uuid not null,
  mailbox_id uuid not null,
  source_folder_id uuid not null,
  -- on the other server. Rows under an earlier UIDVALIDITY stay until a pass has recognized their messages by their digests. Negative: the
  -- other server was restored from a backup, and has since given the UID to another message
  uid_validity bigint not null,
  source_uid bigint not null,
  -- of the copy; null: the owner has deleted the folder that had it
  uid int,
  -- on the other server when they were copied last
  flags smallint not null,
  keywords text[] not null,
  -- on the other server. They differ if it was restored from a backup, and has since given the UID to another message
  size int not null,
  internal_date timestamptz,
  digest bytea not null,
  -- whether the message was here before. The owner may have put it here, so it is never deleted because its original is gone
  is_claimed boolean not null,
  primary key (project_id, mailbox_id, source_folder_id, uid_validity, source_uid)
);
create index if not exists source_messages_uid on source_messages (project_id, mailbox_id, source_folder_id, uid);
