-- When the operator marked a claim as verified without DNS, for trying out. Servers in production do not look at it. Not a column of `domains`:
-- code of the first version reads all columns of that table, and its prepared statements end with an error once there is one more.
create table domains_verified_by_hand (
  project_id uuid not null,
  domain_id uuid not null,
  verified_at timestamptz not null,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);
