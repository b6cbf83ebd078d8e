-- Alerts (docs/alerts.md): users are notified about problems of a project, and operators about problems of the installation.
create table alert_subscriptions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- null: problems of the installation, for operators
  project_id uuid references projects on delete cascade,
  channel text not null check (channel in ('email', 'slack', 'webhook')),
  -- the host of the URL, for pages; null: email
  host text,
  -- sealed, because the URL of a Slack channel is a secret
  url_sealed text,
  -- signs the requests of a webhook
  secret_sealed text,
  -- empty: all
  kinds text[] not null,
  -- in minutes after midnight in the time zone; null: no quiet hours
  quiet_from smallint check (quiet_from between 0 and 1439),
  quiet_until smallint check (quiet_until between 0 and 1439),
  -- an IANA name
  time_zone text not null,
  -- whether problems that stop all mail are reported in quiet hours too
  urgent_always boolean not null,
  -- whether a weekly digest is sent
  digest boolean not null,
  -- when the next digest is due; null: not planned yet
  digest_at timestamptz,
  enabled boolean not null,
  -- why messages are no longer sent; null: enabled
  disabled_reason text,
  -- the first failure since the last success
  failing_since timestamptz,
  last_error text,
  last_sent_at timestamptz,
  last_test_at timestamptz,
  created_at timestamptz not null,
  check ((channel = 'email') = (url_sealed is null)),
  check ((channel = 'webhook') = (secret_sealed is not null)),
  check ((quiet_from is null) = (quiet_until is null))
);
create index alert_subscriptions_user on alert_subscriptions (user_id, project_id);
create index alert_subscriptions_project on alert_subscriptions (project_id, user_id);

-- The problems of a subscription, and those that were resolved in the last hour (src/alerts/next-problems.ts).
create table alert_problems (
  subscription_id uuid not null references alert_subscriptions on delete cascade,
  key text not null,
  -- kind, severity, tone, resource, text and time as they were last found
  problem json not null,
  level int not null,
  is_snoozed boolean not null,
  -- null: the problem does not exist at present
  opened_at timestamptz,
  -- the highest level that was reported since then; null: not reported
  reported_level int,
  -- when it was last reported as resolved
  resolved_at timestamptz,
  primary key (subscription_id, key)
);

-- The outbox of alerts. A message that was sent is stored for an hour, to limit the number of messages.
create table alert_messages (
  id uuid primary key,
  subscription_id uuid not null references alert_subscriptions on delete cascade,
  type text not null check (type in ('alert.opened', 'alert.resolved', 'digest.weekly')),
  content json not null,
  created_at timestamptz not null,
  next_attempt_at timestamptz not null,
  attempts smallint not null default 0,
  -- until then, a process sends the message; null: no process does
  claimed_until timestamptz,
  sent_at timestamptz
);
create index alert_messages_subscription on alert_messages (subscription_id, id);
create index alert_messages_due on alert_messages (next_attempt_at) where sent_at is null;

-- When problems were last checked, so that several processes check once a minute together.
create table alert_checks (
  -- `projects`, or the host whose installation was checked
  scope text primary key,
  checked_at timestamptz not null
);
