-- migration: one by one
-- The web client filters the list of a folder (src/webmail/list/arranged-page.ts). A page, and the number of rows that match, are read from
-- these indexes alone. A conversation that does not match adds nothing to them.
create index concurrently if not exists conversations_unread on conversations (folder_id, newest_at, newest_uid) where unseen > 0;
create index concurrently if not exists conversations_starred on conversations (folder_id, newest_at, newest_uid) where flagged > 0;
create index concurrently if not exists conversations_files on conversations (folder_id, newest_at, newest_uid) where files > 0;
