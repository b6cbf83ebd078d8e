-- Addresses that the installation sends its own mail from. No project sends from them or owns them, so that no one can pass for the service.
create table service_senders (
  domain text not null,
  -- see mailboxKey in src/mailboxes/local-part.ts
  local_part_key text not null,
  -- in normal form
  address text not null,
  -- when mail was first accepted from it; null: it is only configured
  used_at timestamptz,
  primary key (domain, local_part_key)
);

-- Senders of the service mail that is still stored.
insert into service_senders (domain, local_part_key, address, used_at)
select s.from_domain, trim(both '"' from lower(split_part(regexp_replace(s.from_address, '@[^@]*$', ''), '+', 1))), min(s.from_address),
  min(s.created_at)
from (select id from projects union select '00000000-0000-0000-0000-000000000000'::uuid) p
join submissions s on s.project_id = p.id and s.mailbox_id = '00000000-0000-0000-0000-000000000000' and s.kind = 'service'
group by 1, 2;
