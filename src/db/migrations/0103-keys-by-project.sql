-- migration: one by one
-- The keys begin with the project, so that the tables can be divided by it (docs/decisions/0121-keys-by-project.md). The
-- new index is built while others write, and takes the place of the old one in a moment.
create unique index concurrently if not exists queue_key on queue (project_id, email_id, recipient_index);
alter table queue drop constraint queue_pkey, add constraint queue_pkey primary key using index queue_key;

create unique index concurrently if not exists due_deliveries_key on due_deliveries (project_id, id);
alter table due_deliveries drop constraint due_deliveries_pkey,
  add constraint due_deliveries_pkey primary key using index due_deliveries_key;
