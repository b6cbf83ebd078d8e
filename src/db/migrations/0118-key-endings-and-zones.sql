-- The end of an API key, so that a leaked key can be identified in the dashboard. Null: an earlier version created the key.
alter table api_keys add column last_four text check (length(last_four) = 4);

-- The DNS zone that contains the domain and its name servers, at most ten, as the last check found them. Null: not found.
alter table domains add column dns_zone text;
alter table domains add column name_servers text[];
