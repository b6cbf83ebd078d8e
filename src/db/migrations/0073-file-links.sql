-- Large files that go out as a link: links, their files, the parts in which the bytes came, and what was downloaded.

create table file_links (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- SHA-256 of the 22 characters of the token
  token_digest bytea not null,
  -- the token, for its owner alone
  token_sealed text not null,
  password_hash text,
  expires_at timestamptz not null,
  max_downloads int,
  downloads int not null default 0,
  downloaded_octets bigint not null default 0,
  revoked_at timestamptz,
  -- it was made for a draft that is not sent yet
  is_for_draft boolean not null,
  -- the draft that has its card; null: none was saved with it
  draft_id uuid,
  -- of the message that it went out with
  subject text,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create unique index file_links_token on file_links (token_digest);
create index file_links_mailbox on file_links (project_id, mailbox_id, id);
create index file_links_expiry on file_links (expires_at);
create index file_links_drafts on file_links (created_at) where is_for_draft and revoked_at is null;

create table link_files (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- null: it is in no link yet
  link_id uuid,
  -- its place in the link
  position smallint not null default 0,
  name text not null,
  type text not null,
  -- as they were announced
  octets bigint not null,
  -- that are durable
  received bigint not null default 0,
  -- CRC-32 of those
  crc32 bigint not null default 0,
  whole_at timestamptz,
  -- its bytes are given up, and count no more
  gone_at timestamptz,
  -- null: nobody has looked yet
  scan text check (scan in ('clean', 'infected', 'unscanned')),
  scan_found text,
  scan_due_at timestamptz not null default now(),
  created_at timestamptz not null,
  -- when its last byte came, or it left a link
  touched_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade,
  foreign key (project_id, link_id) references file_links on delete cascade,
  check (received <= octets)
);
create index link_files_mailbox on link_files (project_id, mailbox_id, id);
create index link_files_link on link_files (project_id, link_id, position);
create index link_files_live on link_files (project_id) where gone_at is null;
create index link_files_loose on link_files (touched_at) where gone_at is null and (link_id is null or whole_at is null);
create index link_files_unscanned on link_files (scan_due_at) where scan is null and whole_at is not null and gone_at is null;

-- Each part is an object of its own, in the folder of its project.
create table link_file_parts (
  project_id uuid not null,
  file_id uuid not null,
  -- how many bytes are before it
  starts_at bigint not null,
  octets int not null,
  object uuid not null,
  -- SHA-256
  digest bytea not null,
  primary key (project_id, file_id, starts_at),
  foreign key (project_id, file_id) references link_files on delete cascade
);
create unique index link_file_parts_object on link_file_parts (project_id, object);

-- Objects of parts that are gone, until somebody has deleted them.
create table gone_objects (
  project_id uuid not null,
  object uuid not null,
  primary key (project_id, object)
);

-- Whoever deletes a part, and be it with its mailbox, leaves its object here.
create function keep_gone_objects() returns trigger language plpgsql as $$
begin
  insert into gone_objects (project_id, object) select project_id, object from gone on conflict do nothing;
  return null;
end
$$;
create trigger link_file_parts_gone after delete on link_file_parts
  referencing old table as gone for each statement execute function keep_gone_objects();

create table link_downloads (
  project_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  at timestamptz not null,
  octets bigint not null default 0,
  what text not null check (what in ('file', 'zip')),
  -- of the file
  position smallint,
  primary key (project_id, id),
  foreign key (project_id, link_id) references file_links on delete cascade
);
create index link_downloads_link on link_downloads (project_id, link_id, at);

-- Whether the admins of the project see the names of files that its mailboxes send as links.
alter table projects add column link_names boolean not null default false;
