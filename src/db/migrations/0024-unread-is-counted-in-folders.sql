-- Folders count what is unseen: the Inbox has the number.
alter table mailboxes drop column unread;
