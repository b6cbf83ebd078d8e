-- How long things are kept, and what has to be known of what is not there any more.

alter table projects
  -- Null: for ever. 0 of bodies: until the last attempt has ended.
  add column keep_days int check (keep_days between 1 and 36500),
  add column keep_bodies_days int check (keep_bodies_days between 0 and 36500),
  -- The bodies of all emails before this id are gone, but for those in waiting_bodies.
  add column bodies_deleted_before uuid;

-- Emails whose bodies go as soon as no recipient needs them any more.
create table waiting_bodies (
  project_id uuid not null,
  email_id uuid not null,
  -- the subject, the header fields and the tags go too: somebody in it was erased
  redacts boolean not null default false,
  primary key (project_id, email_id)
);

-- How many emails of a month (UTC) were deleted: with those that are there it is the number that plans go by.
create table deleted_emails (
  project_id uuid not null,
  -- its first day
  month date not null,
  emails bigint not null,
  primary key (project_id, month)
);

-- What was deleted, and whose rows are still to go: of a project everything, of a webhook its log.
create table removals (
  project_id uuid not null,
  -- of the webhook; of a project its own
  id uuid not null,
  kind text not null check (kind in ('project', 'webhook')),
  requested_at timestamptz not null default now(),
  primary key (project_id, id)
);
