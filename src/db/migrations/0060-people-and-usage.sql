-- What the dashboard shows of people and of plans.
alter table users add column signed_in_at timestamptz;
update users u set signed_in_at = (select max(s.created_at) from sessions s where s.user_id = u.id);

-- What each project used, day by day (UTC). It is counted each hour and kept for 400 days; the emails of the API are in email_counts.
-- No reference: what is left of a deleted project goes in the background.
create table usage_days (
  project_id uuid not null,
  day date not null,
  storage_bytes bigint not null,
  mailboxes int not null,
  own_domains int not null,
  mailbox_emails int not null,
  primary key (project_id, day)
);
create index usage_days_day on usage_days (day);
