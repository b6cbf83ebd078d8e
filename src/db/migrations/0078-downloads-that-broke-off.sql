-- A download that broke off goes on, also with programs that bring no ticket: known by the network that it came from, as a keyed hash of it.
alter table link_downloads
  add column reader bytea,
  -- the last byte that went out stands before this one
  add column reached bigint,
  -- when it ended or broke off; null: it is under way, or its process was killed
  add column left_at timestamptz;
