-- What a server said of a recipient after it took the message: it bounced, or the recipient complained.
alter table submission_recipients
  add column reported text check (reported in ('bounced', 'complained')),
  add column reported_at timestamptz;
-- Its sender is to be told after some hours that it waits.
create index submission_recipients_delays on submission_recipients (submission_id)
  where outcome is null and delay_told_at is null and notify & 4 <> 0;
-- Whose mail was refused or complained about lately.
create index submission_recipients_refused on submission_recipients (ended_at) where outcome = 'failed';
create index submission_recipients_reported on submission_recipients (reported_at) where reported is not null;
-- For a complaint that names its message.
create index submissions_message on submissions (project_id, mailbox_id, message_id);

-- Mailboxes that were ever locked for sending.
create table sending_locks (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- null: it was unlocked
  locked_at timestamptz,
  reason text not null check (reason in ('refused', 'complained')),
  -- what was sent before does not count any more
  counts_from timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index sending_locks_locked on sending_locks (locked_at) where locked_at is not null;
