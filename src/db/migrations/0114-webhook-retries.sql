-- A delivery has the result of every attempt, and the pending deliveries of a webhook can be attempted at once (docs/decisions/0142-webhook-retries.md).

-- The attempts that have ended, oldest first. Null: at most one attempt, which the other columns describe.
alter table due_deliveries add column past_attempts jsonb;
alter table deliveries add column past_attempts jsonb;

-- The last request to attempt all pending deliveries of a webhook at once. Not rows of webhook_replays, because a worker of an earlier version would
-- replay failed deliveries instead.
create table webhook_retries (
  project_id uuid not null,
  webhook_id uuid not null,
  started_at timestamptz not null,
  -- the position in the index due_deliveries_next
  after_at timestamptz not null,
  after_event_id uuid not null,
  -- how many deliveries were waiting at the start, counted up to a limit
  total int not null,
  -- how many of them have become due early
  retried int not null default 0,
  -- the deliveries that have become due early and are not known to be over, and when the last of them was added
  open_ids uuid[] not null default '{}',
  opened_at timestamptz,
  -- null: in progress
  ended_at timestamptz,
  ended_by text check (ended_by in ('done', 'stopped', 'disabled', 'failing')),
  primary key (project_id, webhook_id),
  foreign key (project_id, webhook_id) references webhooks on delete cascade,
  check ((ended_at is null) = (ended_by is null))
);
create index webhook_retries_in_progress on webhook_retries (project_id, webhook_id) where ended_at is null;
