-- migration: one by one
-- The event in the calendar of a message (src/rfc/icalendar/event-key.ts), by which the web client finds newer versions of an invitation. Null:
-- the message has no calendar, or an earlier version stored it and its invitation has not been opened since.
alter table message_contents add column if not exists event json;
create index concurrently if not exists message_contents_events on message_contents (project_id, mailbox_id, (event ->> 'uid')) where event is not null;
