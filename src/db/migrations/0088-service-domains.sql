-- Domains that the installation signs its own mail with, beside the hosted domain: claims of the nil project with keys of their own. No project
-- signs with these keys.
create table service_domains (
  project_id uuid not null check (project_id = '00000000-0000-0000-0000-000000000000'),
  domain_id uuid not null,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);
