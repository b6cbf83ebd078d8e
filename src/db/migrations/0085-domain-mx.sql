-- Where DNS sends the mail of a claim's domain, and what an operator decided about it. A claim without a row is on `auto` and was not asked about yet.
create table domain_mx (
  project_id uuid not null,
  domain_id uuid not null,
  -- Whether mail from here is delivered here. Null: as the MX records say.
  deliver_locally boolean,
  -- Gateways and backup MX in front of this installation, for this domain alone. Lower case, without a trailing dot.
  gateways text[] not null default '{}',
  -- The last definite answer: [{"priority": 10, "exchange": "mx.acme.example"}]. A SERVFAIL or a time-out does not change it.
  hosts json,
  -- The last query, answered or not.
  asked_at timestamptz,
  answered_at timestamptz,
  -- The last answer by which the domain's mail comes here.
  here_at timestamptz,
  -- The first of the answers since then by which it goes elsewhere.
  elsewhere_since timestamptz,
  primary key (project_id, domain_id),
  foreign key (project_id, domain_id) references domains on delete cascade
);

-- The MX records that the last check of each claim found.
insert into domain_mx (project_id, domain_id, hosts, asked_at, answered_at, here_at)
select d.project_id, d.id,
  (select coalesce(json_agg(json_build_object(
      'priority', split_part(f, ' ', 1)::int, 'exchange', case split_part(f, ' ', 2) when '.' then '' else split_part(f, ' ', 2) end)), '[]')
   from json_array_elements_text(d.checks -> ('MX ' || d.name) -> 'found') f where f ~ '^\d{1,5} \S+$'),
  d.last_checked_at, d.last_checked_at,
  case when d.checks -> ('MX ' || d.name) ->> 'status' = 'verified' then d.last_checked_at end
from domains d
where d.last_checked_at is not null and d.checks -> ('MX ' || d.name) ->> 'status' in ('verified', 'failed');

-- The last time that a check found the claim verified: of several claims on a name, none of them verified now, the last one to be verified has its mail.
alter table domains_first_verified add column last_verified_at timestamptz;
