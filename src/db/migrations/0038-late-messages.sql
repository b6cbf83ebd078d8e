-- Messages whose object_id was made long before they came: mail that waited to be handed over inside. A segment of the index may be behind
-- them already, so search looks through all of them (src/store/search/find-text.ts).
alter table message_contents add column is_late boolean not null default false;
create index message_contents_late on message_contents (project_id, mailbox_id, object_id) where is_late;
