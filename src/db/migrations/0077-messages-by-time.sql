-- migration: one by one
-- A search goes through the messages of a mailbox from the newest on, until a page is full. The id of a mailbox is like no other one's.
create index concurrently if not exists messages_received on messages (mailbox_id, internal_date, object_id);
