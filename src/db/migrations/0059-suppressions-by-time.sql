-- migration: one by one
-- The suppression list is shown newest first, all of it or what is there for one reason.
create index concurrently if not exists suppressions_by_time
  on suppressions (project_id, reason, created_at, address_key);
