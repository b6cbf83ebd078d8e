-- What the owner of a mailbox writes in the web client: files that were uploaded, drafts with what their message cannot say, what waits to be sent, and
-- whom they have written to.

create table uploads (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  octets int not null,
  -- what it was taken out of: the message and its part; null: it was uploaded
  source text,
  -- when a draft last had it
  used_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index uploads_used on uploads (used_at);

-- The bytes of each, in order.
create table upload_pieces (
  project_id uuid not null,
  mailbox_id uuid not null,
  upload_id uuid not null,
  position smallint not null,
  digest bytea not null,
  primary key (project_id, mailbox_id, upload_id, position),
  foreign key (project_id, mailbox_id, upload_id) references uploads on delete cascade
);
create index upload_pieces_digest on upload_pieces (project_id, digest);

create table drafts (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- the composer that saved it last, by a name of its own
  client text not null,
  -- the message in Drafts, or the one that was there last; null: there was none yet
  object_id uuid,
  content json not null,
  uploads uuid[] not null,
  saved_at timestamptz not null,
  -- Null: it is a draft. Else it is on its way out, and in no folder.
  sends_at timestamptz,
  is_scheduled boolean not null default false,
  -- until then somebody is at it
  claimed_until timestamptz not null default '-infinity',
  -- how often somebody began to send it
  attempts smallint not null default 0,
  sent_at timestamptz,
  -- why it was not sent, in words
  problem text,
  primary key (project_id, mailbox_id, id),
  unique (project_id, mailbox_id, client),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index drafts_object on drafts (project_id, mailbox_id, object_id);
create index drafts_due on drafts (sends_at) where sends_at is not null and sent_at is null;
create index drafts_saved on drafts (saved_at);

create table written_addresses (
  project_id uuid not null,
  mailbox_id uuid not null,
  address_key text not null,
  address text not null,
  name text,
  -- all words of both in normal form, each behind a space
  words text not null,
  uses int not null,
  written_at timestamptz not null,
  primary key (project_id, mailbox_id, address_key),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Whether the owners of its mailboxes see the people of its directory while they write.
alter table projects add column mail_directory boolean not null default false;
