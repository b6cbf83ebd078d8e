-- By which words emails are found (docs/decisions/0066-emails-by-words.md). Nothing here is written when an email is accepted, and all of it can
-- be made again from the emails.

-- Emails of a project from one id (left out) to another, in the order of their ids. Together the rows of a project cover all ids up to the
-- greatest `last_id`, without a gap.
create table email_segments (
  project_id uuid not null,
  after_id uuid not null,
  last_id uuid not null,
  documents int not null,
  -- The id of each, 16 bytes. Null: the words are not there, or not any more; its emails are looked at one by one.
  ids bytea,
  -- Every email of the range was there when it was last indexed.
  is_settled boolean not null default false,
  primary key (project_id, last_id)
);
-- Parts of it are read.
alter table email_segments alter column ids set storage external;
create index email_segments_open on email_segments (project_id, last_id) where ids is null or not is_settled;

-- The words of a segment in their order, some dozens a row.
create table email_words (
  project_id uuid not null,
  -- last_id of the segment
  segment_id uuid not null,
  first_word text collate "C" not null,
  -- src/insights/search/word-blocks.ts
  words text collate "C" not null,
  postings bytea not null,
  primary key (project_id, segment_id, first_word)
);
