-- What mail apps ask of folders.

-- Messages from this UID on are \Recent to whoever selects the folder next (RFC 3501, section 2.3.2).
alter table folders add column recent_uid int not null default 1;

-- EXPUNGE, CLOSE and STATUS (DELETED) look for few among many.
create index messages_deleted on messages (project_id, mailbox_id, folder_id, uid) where flags & 8 <> 0;
