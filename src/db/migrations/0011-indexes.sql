-- migration: one by one
-- While others write: on a log of months each takes minutes.

-- What a lease holds: whoever ends it takes back its rows without looking at anybody else's.
create index concurrently if not exists recipients_lease on recipients (epoch) where epoch is not null;
-- In place of a primary key with the id of the event. The events of an email share one entry, a quarter of the bytes.
create index concurrently if not exists events_email on events (project_id, email_id);
