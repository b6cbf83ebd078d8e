-- When a claim was verified for the first time. `domains.verified_at` is cleared when the claim loses its records or its name; this row stays as
-- long as the claim. Not a column of `domains`: code of the first version reads all columns of that table, and its prepared statements end with
-- an error once there is one more. A worker of an earlier version verifies claims without writing here, so readers also take the status into account.
create table domains_first_verified (
  project_id uuid not null,
  domain_id uuid not null,
  verified_at timestamptz not null,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- Nothing in the schema dates the verification of a claim that has lost it since, so such a claim counts again once it is verified again.
insert into domains_first_verified (project_id, domain_id, verified_at)
select project_id, id, coalesce(verified_at, created_at) from domains
where status in ('verified', 'warning') or verified_at is not null;
