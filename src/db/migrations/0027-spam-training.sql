-- What the people of a project called spam and what not, by their moves into and out of Junk.
create table spam_training (
  project_id uuid primary key references projects on delete cascade,
  -- how many messages
  junk int not null default 0,
  ham int not null default 0
);
-- How many of those messages had a token. Tokens are numbers below 131,072, so a project has no more rows.
create table spam_tokens (
  project_id uuid not null references spam_training on delete cascade,
  token int not null check (token >= 0 and token < 131072),
  junk int not null,
  ham int not null,
  primary key (project_id, token)
) with (fillfactor = 80);
-- What a message was last called, so that it counts once.
create table spam_trained (
  project_id uuid not null references spam_training on delete cascade,
  -- the first half of the SHA-256 of its bytes
  message bytea not null check (length(message) = 16),
  kind text not null check (kind in ('junk', 'ham')),
  trained_at timestamptz not null,
  primary key (project_id, message)
);
