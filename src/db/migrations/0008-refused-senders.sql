-- A destination may refuse one sender and take the mail of all others: then only the mail of that sender waits.

alter table destinations
  -- Where its mail goes. A sender that `gmx.de` refuses waits for `gmx.de from news.example`: a space cannot stand in a domain.
  add column domain text not null generated always as (split_part(name, ' ', 1)) stored,
  -- Whose row the last probe was, so that the next one is another's. Null: nobody's yet.
  add column probed json;
create index destinations_domain on destinations (domain);
