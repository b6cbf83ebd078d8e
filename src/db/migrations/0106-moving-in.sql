-- Mailboxes that are moved in from another server keep their UIDs, so that mail apps download nothing twice (src/store/adopt-uids.ts).

alter table folders
  -- UIDs below it are for messages that the old server numbered; mail that is stored otherwise gets this UID or a higher one
  add column uid_reserved_below int not null default 1,
  -- whether messages of it have a uidl
  add column has_uidls boolean not null default false;

-- The unique-id that POP3 showed for the message on its old server (RFC 1939, section 7). Null: it is made from UIDVALIDITY and UID.
alter table messages add column uidl text;
