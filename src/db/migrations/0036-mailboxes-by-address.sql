-- migration: one by one
-- Whoever signs in says an address, and no project: with the index each attempt looks at the mailboxes with that address alone.
create index concurrently if not exists mailboxes_named on mailboxes (domain, local_part_key);
