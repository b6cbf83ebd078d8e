-- The processes that work on this database, all machines together: limits are divided by their number. Each writes its row every
-- two seconds, so no commit waits for the disk; after a crash of the database the rows are there again by themselves.
create unlogged table processes (
  id uuid primary key,
  -- machine and name, for people
  host text not null,
  name text not null,
  roles text[] not null,
  -- to this database, at the most
  connections int not null,
  -- what the clock of its machine is ahead of this database's
  clock_ahead_ms double precision not null,
  heartbeat_at timestamptz not null
);
