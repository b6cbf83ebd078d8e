-- Saved searches of the page Emails (docs/emails-search.md).
create table email_views (
  project_id uuid not null references projects on delete cascade,
  id uuid not null,
  -- null: everyone in the project sees the view
  user_id uuid references users on delete cascade,
  name text not null check (length(name) between 1 and 60),
  q text not null check (length(q) between 1 and 500),
  primary key (project_id, id),
  unique nulls not distinct (project_id, user_id, name)
);
create index email_views_user on email_views (user_id);
