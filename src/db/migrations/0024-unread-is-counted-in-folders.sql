-- migration: serves from 0.2.0
-- Folders count what is unseen: the Inbox has the number.
alter table mailboxes drop column unread;
