-- What each mailbox sent in a month and is not in submissions any more: those go after a week. Counted from the upgrade on.
create table deleted_submissions_of_mailboxes (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- its first day
  month date not null,
  submissions int not null,
  primary key (project_id, mailbox_id, month),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
