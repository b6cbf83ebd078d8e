-- What mail apps ask of folders.

-- Messages from this UID on are \Recent to whoever selects the folder next (RFC 3501, section 2.3.2).
alter table folders add column recent_uid int not null default 1;

-- EXPUNGE, CLOSE and STATUS (DELETED) look for few among many.
create index messages_deleted on messages (project_id, mailbox_id, folder_id, uid) where flags & 8 <> 0;

-- What a mail app said that a folder is for, beside its role (RFC 6154, section 3).
alter table folders add column uses text[] not null default '{}';

-- Names that are subscribed, and no folder has them any more (RFC 9051, section 6.3.7).
create table subscriptions (
  project_id uuid not null,
  mailbox_id uuid not null,
  name text collate "C" not null,
  primary key (project_id, mailbox_id, name),
  foreign key (project_id, mailbox_id) references mailbox_states on delete cascade
);
