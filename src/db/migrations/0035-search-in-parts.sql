-- Each part of messages has an index of its own: SEARCH of IMAP asks for a word in bodies, or in headers. What was made for all of a
-- message together is made again.
delete from search_segments;
alter table search_segments
  -- src/store/search/message-parts.ts
  add column part text not null,
  drop constraint search_segments_pkey,
  add primary key (project_id, mailbox_id, part, first_object_id);
