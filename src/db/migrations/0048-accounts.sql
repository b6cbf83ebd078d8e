-- People who sign in to the dashboard, what they may do where, and what was changed by whom.

create table users (
  id uuid primary key,
  -- as given
  email text not null,
  -- the same address in any spelling has one key (src/accounts/user-email.ts)
  email_key text not null unique,
  name text not null,
  -- argon2id in PHC form; null: until a link is used, or where other ways in are enough
  password_hash text,
  -- of the installation
  is_operator boolean not null default false,
  created_at timestamptz not null
);

create table memberships (
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  -- a viewer who may read what emails say
  sees_bodies boolean not null default false,
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);
create index projects_organization on projects (organization_id);

-- Where somebody may do less than their membership says.
create table project_roles (
  organization_id uuid not null,
  user_id uuid not null,
  project_id uuid not null references projects on delete cascade,
  -- none: the project is unknown to them
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer', 'none')),
  primary key (organization_id, user_id, project_id),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index project_roles_project on project_roles (project_id);

create table sessions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- SHA-256: 256 random bits are not guessed, however fast the hash
  token_sha256 bytea not null unique,
  created_at timestamptz not null,
  -- within a minute
  used_at timestamptz not null,
  -- since when it is sure that the user sits there: at sign-in, and when asked again
  confirmed_at timestamptz not null,
  address text not null,
  user_agent text not null,
  primary key (user_id, id)
);
create index sessions_used on sessions (used_at);

-- Links that work once. A row goes when its link is used.
create table sign_in_links (
  id uuid primary key,
  token_sha256 bytea not null unique,
  purpose text not null check (purpose in ('welcome', 'reset', 'invitation')),
  -- whose password is reset
  user_id uuid references users on delete cascade,
  -- what an invitation leads to
  organization_id uuid references organizations on delete cascade,
  email text,
  email_key text,
  role text check (role in ('owner', 'admin', 'developer', 'viewer')),
  sees_bodies boolean not null default false,
  -- who invites, as they were called
  made_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check (case purpose
    when 'welcome' then user_id is null and organization_id is null
    when 'reset' then user_id is not null and organization_id is null
    else user_id is null and organization_id is not null and email is not null and email_key is not null and role is not null
  end)
);
create index sign_in_links_user on sign_in_links (user_id);
-- one invitation for each address: another one takes its place
create unique index sign_in_links_invitation on sign_in_links (organization_id, email_key);
create index sign_in_links_expiry on sign_in_links (expires_at);

-- Where a user has signed in from: a flood of guesses from elsewhere is not in their way.
create table user_networks (
  user_id uuid not null references users on delete cascade,
  network text not null,
  -- within a day
  seen_at timestamptz not null,
  primary key (user_id, network)
);

-- Every change: who, what, from where, before and after. Never a secret, and nothing of what is sent.
create table audit_log (
  organization_id uuid not null references organizations on delete cascade,
  -- its time is when it happened
  id uuid not null,
  -- null: a change of the organisation itself. No reference: the log outlives the project.
  project_id uuid,
  -- resource and verb: api-key.create
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'api-key', 'command-line', 'system')),
  actor_id uuid,
  -- as it was called then
  actor_name text not null,
  address text,
  -- the outside form of an id, or another name that people know
  target text not null,
  target_name text,
  before jsonb,
  after jsonb,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index audit_log_project on audit_log (organization_id, project_id, id);
create index audit_log_time on audit_log (created_at);
