-- What the web client keeps of a mailbox: how its owner reads, and what they answered to invitations.

-- Only what differs from the start: no row, no choice.
create table mailbox_preferences (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- pictures and styles from elsewhere, for senders that are not trusted: 'ask' or 'always' (by the proxy)
  remote_content text not null default 'ask',
  -- in a conversation
  newest_first boolean not null default false,
  -- what a row that is pushed aside does
  swipe_left text not null default 'trash',
  swipe_right text not null default 'archive',
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table invitation_answers (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- SHA-256 of the event's UID, and of which one of a series is meant
  event bytea not null,
  answer text not null,
  -- of the event, as it was answered
  sequence int not null,
  answered_at timestamptz not null,
  primary key (project_id, mailbox_id, event),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
