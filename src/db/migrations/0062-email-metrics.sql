-- What became of the emails of each hour and day, by what they have in common (docs/decisions/0081-metrics-by-day.md). All of it can be counted again
-- while the emails are there, and it stays when they are deleted.
create table email_metrics (
  project_id uuid not null,
  -- An hour is there while its emails are counted again; a day stays.
  span text not null check (span in ('hour', 'day')),
  -- what `value` is: all (then it is empty), domain, provider, stream or tag
  dimension text collate "C" not null,
  -- UTC: the emails that were accepted from then on
  begins_at timestamptz not null,
  -- all values together that are not named in this time
  is_rest boolean not null,
  value text collate "C" not null,
  -- those whose first recipient is one of these
  emails int not null,
  recipients int not null,
  -- recipients, each at the furthest that it came to
  delivered int not null,
  bounced_hard int not null,
  bounced_soft int not null,
  complained int not null,
  failed int not null,
  opened_by_people int not null,
  opened_by_machines int not null,
  clicked int not null,
  -- how many took how long from the 202 to their server (src/insights/counts/latency.ts); zeros at the end are left out
  latency int[] not null,
  primary key (project_id, span, dimension, begins_at, is_rest, value)
-- The rows of this hour change with each count, and no index has what changes.
) with (fillfactor = 70);
-- Parts of it are read, row by row: without a short header no copy is made.
alter table email_metrics alter column latency set storage plain;
create index email_metrics_days on email_metrics (begins_at) where span = 'day';

-- when its rows of email_metrics were made; null: they never were
alter table email_counts add column metrics_at timestamptz;
create index email_counts_without_metrics on email_counts (hour) where metrics_at is null;

-- The stream, which is in email_contents: beside the bodies, of which the worker that counts would read all. Null: code of before wrote it.
alter table emails add column is_bulk boolean;
