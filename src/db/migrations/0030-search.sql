-- The words of the messages in a mailbox, for some thousands of messages a row: messages from one object_id to another, in
-- the order of those. Newer ones are looked through. A row is never changed, and can be made again from the messages.
create table search_segments (
  project_id uuid not null,
  mailbox_id uuid not null,
  first_object_id uuid not null,
  last_object_id uuid not null,
  documents int not null,
  -- the object_id of each, 16 bytes
  objects bytea not null,
  -- src/store/search/term-list.ts, packed by zstd
  terms bytea not null,
  -- src/store/search/postings.ts
  postings bytea not null,
  primary key (project_id, mailbox_id, first_object_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
-- Parts of them are read, or they are packed already.
alter table search_segments alter column objects set storage external;
alter table search_segments alter column terms set storage external;
alter table search_segments alter column postings set storage external;
