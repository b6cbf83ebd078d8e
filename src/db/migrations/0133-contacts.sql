-- The people that a mailbox knows from its mail and from its owner (docs/decisions/0156-contacts.md).

-- The table now also has authors of received mail. For an address that was never written to, uses is 0 and written_at is the epoch, so the
-- previous version, which removes the rows written to least recently, removes these rows first.
alter table written_addresses add column received int not null default 0;
alter table written_addresses add column received_at timestamptz not null default 'epoch';

-- Up to where the messages of a mailbox were read for addresses. Also locks the contacts of the mailbox while they change.
create table contact_harvests (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- the object_id of the last message that was read
  harvested_until uuid not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- People that the owner of a mailbox added or changed.
create table contacts (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text,
  note text not null,
  changed_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table contact_addresses (
  project_id uuid not null,
  mailbox_id uuid not null,
  address_key text not null,
  address text not null,
  contact_id uuid not null,
  position int not null,
  -- the words of the name and the address, like written_addresses.words
  words text not null,
  primary key (project_id, mailbox_id, address_key),
  foreign key (project_id, mailbox_id, contact_id) references contacts on delete cascade
);
create index contact_addresses_contact on contact_addresses (project_id, mailbox_id, contact_id, position);

-- Addresses that the owner of a mailbox forgot, so that reading received mail does not bring them back.
create table forgotten_addresses (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- SHA-256 of the id of the mailbox and the address in lower case
  digest bytea not null check (length(digest) = 32),
  forgotten_at timestamptz not null,
  primary key (project_id, mailbox_id, digest),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
