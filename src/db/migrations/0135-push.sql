-- Browsers that are notified of new mail (docs/web-client.md, Notifications). A subscription ends with the session of its browser.
create table push_subscriptions (
  project_id uuid not null,
  mailbox_id uuid not null,
  session_id uuid not null,
  -- sealed: the URL of the push service, which lets anyone send, and the keys of the browser
  target_sealed text not null,
  -- the public key of the installation with which the browser subscribed
  vapid_key text not null,
  -- whether notifications contain the sender and the subject
  with_content boolean not null,
  -- Messages of the Inbox with lower UIDs need no notification.
  notified_uid int not null,
  -- failed attempts since the last success
  attempts smallint not null default 0,
  -- no notification is sent before
  next_at timestamptz not null,
  last_test_at timestamptz,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, session_id),
  foreign key (project_id, mailbox_id, session_id) references web_sessions on delete cascade
);
-- Notices about changed folders have the id of the mailbox only.
create index push_subscriptions_mailbox on push_subscriptions (mailbox_id);
create index push_subscriptions_failed on push_subscriptions (next_at) where attempts > 0;

-- The messages that browsers sent with a key of their own, so that a request that is repeated days later sends nothing again.
create table sent_keys (
  project_id uuid not null,
  mailbox_id uuid not null,
  key text not null,
  draft_id uuid not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, key),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index sent_keys_created on sent_keys (created_at);
