-- What became of the emails of each hour (docs/decisions/0071-counts-by-hour.md). All of it can be counted again while the emails are there, and
-- it stays when they are deleted.
create table email_counts (
  project_id uuid not null,
  -- UTC: the emails that were accepted in it
  hour timestamptz not null,
  emails int not null,
  recipients int not null,
  -- recipients, each at the furthest that it came to
  delivered int not null,
  opened int not null,
  clicked int not null,
  failed int not null,
  bounced int not null,
  complained int not null,
  counted_at timestamptz not null,
  -- when it is counted again; infinity: it stays as it is
  next_at timestamptz not null,
  primary key (project_id, hour)
);
create index email_counts_next on email_counts (next_at);
