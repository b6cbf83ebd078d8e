-- Lessons about spam count for the mailbox that taught them, and for its project when three mailboxes agree (docs/operate/spam.md, What is learned).

-- How many lessons a mailbox has taught.
create table mailbox_spam_training (
  project_id uuid not null,
  mailbox_id uuid not null,
  junk int not null default 0,
  ham int not null default 0,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- How many of those messages had a token. Tokens are numbers below 131,072, so a mailbox has no more rows.
create table mailbox_spam_tokens (
  project_id uuid not null,
  mailbox_id uuid not null,
  token int not null check (token >= 0 and token < 131072),
  junk int not null,
  ham int not null,
  primary key (project_id, mailbox_id, token),
  foreign key (project_id, mailbox_id) references mailbox_spam_training on delete cascade
) with (fillfactor = 80);

-- How many mailboxes have counted a token as junk. Before mailboxes were counted, one mailbox sufficed, and older code still writes such rows.
alter table spam_tokens add column junk_mailboxes int not null default 3;

-- How a message was last classified in a mailbox, so that it counts once.
create table mailbox_spam_lessons (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- the first half of the SHA-256 of its bytes
  message bytea not null check (length(message) = 16),
  kind text not null check (kind in ('junk', 'ham')),
  learned_at timestamptz not null,
  primary key (project_id, mailbox_id, message),
  foreign key (project_id, mailbox_id) references mailbox_spam_training on delete cascade
);
create index mailbox_spam_lessons_time on mailbox_spam_lessons (project_id, mailbox_id, kind, learned_at);

-- A sample of the rare signs of the latest lessons, at most 128 of a message, and the domain of a proven author as a negative number, to find
-- variants of a message.
create table spam_features (
  project_id uuid not null,
  mailbox_id uuid not null,
  kind text not null check (kind in ('junk', 'ham')),
  feature int not null,
  message bytea not null,
  primary key (project_id, mailbox_id, kind, feature, message),
  foreign key (project_id, mailbox_id) references mailbox_spam_training on delete cascade
);
create index spam_features_junk on spam_features (project_id, feature, mailbox_id, message) where kind = 'junk';

-- What a mailbox learned about a sender. The latest of its owner's actions counts.
create table mailbox_senders (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- an address in lower case, or `list:` and the List-Id of a mailing list
  sender text not null,
  -- true: of mail that was proven to be by this sender; false: of mail that only claimed it
  is_proven boolean not null,
  -- known: its owner wrote to it or kept its mail; spam: its owner moved its mail into Junk
  standing text not null check (standing in ('known', 'spam')),
  noted_at timestamptz not null,
  primary key (project_id, mailbox_id, sender, is_proven),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade,
  check (is_proven or standing = 'spam')
);
-- Mailboxes know the people to whom they wrote in the web client.
insert into mailbox_senders (project_id, mailbox_id, sender, is_proven, standing, noted_at)
select w.project_id, w.mailbox_id, w.address_key, true, 'known', w.written_at
from written_addresses w join mailboxes m on m.project_id = w.project_id and m.id = w.mailbox_id
where length(w.address_key) between 3 and 320;
create index mailbox_senders_time on mailbox_senders (project_id, mailbox_id, standing, noted_at);

-- Senders whose proven mail never goes to Junk in a mailbox.
create table mailbox_safe_senders (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- an address in normal form, in lower case, or a domain: that and all below it
  sender text not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, sender),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- The same for all mailboxes of a project.
create table project_safe_senders (
  project_id uuid not null references projects on delete cascade,
  sender text not null,
  created_at timestamptz not null,
  primary key (project_id, sender)
);

-- The networks that send mail of the domain without SPF and DKIM: IP addresses and ranges.
alter table domain_mx add column sends_elsewhere text[] not null default '{}';
