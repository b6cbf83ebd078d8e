-- Since when html and text are gone. Null: they are kept.
alter table email_contents add column bodies_deleted_at timestamptz;
