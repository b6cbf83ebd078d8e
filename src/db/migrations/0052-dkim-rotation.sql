-- Which key of a domain signs. `next`: its record is shown and waited for. `retiring`: it signs no more, and its record is kept until `keep_until`, for mail on its way;
-- then the row goes, and the private key with it. Code of before names the columns it reads: until it is replaced it signs with all of them, which receivers take.
alter table dkim_keys
  add column state text not null default 'active' check (state in ('active', 'next', 'retiring')),
  add column keep_until timestamptz,
  add check ((state = 'retiring') = (keep_until is not null));
create unique index dkim_keys_next on dkim_keys (project_id, domain_id) where state = 'next';
