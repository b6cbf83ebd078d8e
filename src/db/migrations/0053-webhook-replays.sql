-- migration: one by one
-- What the dashboard shows of webhooks, and what it sends again (docs/decisions/0070-webhooks-in-the-dashboard.md).

-- Attempts at deliveries, by the hour in which they ended. Whoever writes their end counts them in the same statement.
create table if not exists webhook_activity (
  project_id uuid not null,
  webhook_id uuid not null,
  -- its first moment
  hour timestamptz not null,
  -- answered with a 2xx, and not
  delivered int not null,
  failed int not null,
  primary key (project_id, webhook_id, hour),
  foreign key (project_id, webhook_id) references webhooks on delete cascade
-- The row of this hour changes with each batch, and no index has what changes.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- The last replay of all failed deliveries of a webhook since a time.
create table if not exists webhook_replays (
  project_id uuid not null,
  webhook_id uuid not null,
  -- names this replay: who stops it stops no later one
  id uuid not null,
  -- deliveries with ids from the one to before the other
  from_id uuid not null,
  until_id uuid not null,
  -- up to which it has come
  after_id uuid not null,
  -- how many there were at the start, counted up to a limit
  total int not null,
  replayed int not null default 0,
  -- null: it goes on
  ended_at timestamptz,
  ended_by text check (ended_by in ('done', 'stopped', 'disabled')),
  primary key (project_id, webhook_id),
  foreign key (project_id, webhook_id) references webhooks on delete cascade,
  check ((ended_at is null) = (ended_by is null))
);
create index if not exists webhook_replays_going_on on webhook_replays (project_id, webhook_id) where ended_at is null;

-- What failed, of a log in which hardly anything did: what is delivered has no entry. An index of partitions is built for one after
-- another, and only that one takes no new rows meanwhile; workers write their answers once it is there.
create index if not exists deliveries_failed on only deliveries (project_id, webhook_id, id) where status = 'failed';
do $$
declare
  part record;
begin
  for part in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'deliveries'::regclass order by 1
  loop
    continue when exists (
      select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
      where i.inhparent = 'deliveries_failed'::regclass and x.indrelid = part.name::regclass
    );
    execute format('create index if not exists %I on %I (project_id, webhook_id, id) where status = ''failed''', part.name || '_failed', part.name);
    execute format('alter index deliveries_failed attach partition %I', part.name || '_failed');
    commit;
  end loop;
end $$;
