-- What a user does not want to be reminded of for a while, on the page Start (docs/overview.md). It hides the item from this user alone.
create table snoozes (
  project_id uuid not null references projects on delete cascade,
  user_id uuid not null references users on delete cascade,
  -- names the item, and the fact that would make it a new one
  key text not null check (length(key) <= 200),
  -- an item of a higher level is shown again
  level int not null,
  until timestamptz not null,
  primary key (project_id, user_id, key)
);
create index snoozes_user on snoozes (user_id, until);
create index snoozes_until on snoozes (until);
