-- What operators order of the installation (docs/operate/system.md, docs/decisions/0080-held-destinations.md).

-- Domains that nothing goes to until somebody says so. A row stays for some days after that: what was held has its three days from then on.
create table destination_holds (
  -- of recipients, in normal form
  domain text primary key,
  held_at timestamptz not null,
  -- null: it is held
  resumed_at timestamptz
);

-- As audit_log, for what belongs to no organisation.
create table system_changes (
  -- its time is when it happened
  id uuid primary key,
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'api-key', 'command-line', 'system')),
  actor_id uuid,
  -- as it was called then
  actor_name text not null,
  address text,
  target text not null,
  before jsonb,
  after jsonb
);
