-- Mail takes turns: first between projects, then between the streams of a project.

create type stream as enum ('transactional', 'bulk');
alter table email_contents add column stream stream not null default 'transactional';
alter table recipients add column stream stream not null default 'transactional';

-- A worker goes from stream to stream, and finds in each what is due the longest. What is parked is not in it.
drop index recipients_due;
create index recipients_due on recipients (project_id, stream, next_attempt_at) where next_attempt_at < 'infinity';
-- The same for what is parked for a destination.
drop index recipients_parked;
create index recipients_parked on recipients (destination, project_id, stream, email_id, n) where next_attempt_at = 'infinity';
