-- What mailboxes hold. Every write of a mailbox's mail locks its row of mailbox_states first: so it reads what it counts on,
-- allocates UIDs and MODSEQs in the order of commits, and waits for nobody in a circle.

-- The numbers of a mailbox. Made when it is first used; it goes with the mailbox, in the same statement.
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
  -- since when messages are refused for its quota
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
  -- the whole path with '/'; null: the folder was deleted, and its messages are to go
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
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailbox_states on delete cascade
) with (fillfactor = 50);
create unique index folders_name on folders (project_id, mailbox_id, name);
create unique index folders_role on folders (project_id, mailbox_id, role) where role is not null;
create index folders_deleted on folders (project_id, mailbox_id, id) where name is null;

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
  -- when it came into this folder (RFC 8514)
  save_date timestamptz not null,
  primary key (project_id, mailbox_id, folder_id, uid)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create index messages_modseq on messages (project_id, mailbox_id, folder_id, modseq);
create index messages_object on messages (project_id, mailbox_id, object_id);

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
  -- what search looks through
  text text not null,
  -- null: it did not come by SMTP
  authentication json,
  spam json,
  primary key (project_id, mailbox_id, object_id)
);
-- For whoever wants to delete a blob.
create index message_contents_digest on message_contents (project_id, digest);
create index message_contents_thread on message_contents (project_id, mailbox_id, thread_id);

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

-- UIDs of what is not there any more, from the first to the last, for VANISHED (RFC 7162, section 3.2.10).
create table expunged (
  project_id uuid not null,
  mailbox_id uuid not null,
  folder_id uuid not null,
  modseq bigint not null,
  first_uid int not null,
  last_uid int not null,
  expunged_at timestamptz not null,
  primary key (project_id, mailbox_id, folder_id, modseq, first_uid)
);
create index expunged_time on expunged (expunged_at);

-- Junk and Trash are emptied of what was put there 30 days ago.
alter table mailboxes add column empties_folders boolean not null default true;
