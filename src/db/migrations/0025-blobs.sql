-- Bytes of messages, once for each project, by what they are. Nothing refers to a row by a constraint: whoever refers to it writes it in the same
-- statement, and the sweeper looks at all who do before it deletes one.
create table blobs (
  project_id uuid not null,
  -- SHA-256 of the bytes as they were received
  digest bytea not null check (length(digest) = 32),
  -- of the bytes as they were received
  size int not null,
  -- packed by zstd; null: they are an object
  bytes bytea,
  -- the name of that object
  object uuid,
  -- when somebody last came with these bytes, to the hour
  used_at timestamptz not null,
  primary key (project_id, digest),
  check (num_nonnulls(bytes, object) = 1)
);
-- What zstd packed does not get smaller.
alter table blobs alter column bytes set storage external;
-- For whoever wants to delete an object.
create index blobs_object on blobs (project_id, object) where object is not null;
