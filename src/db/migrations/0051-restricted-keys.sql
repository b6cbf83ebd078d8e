-- What an API key may be used for beside its scopes, and what is known of it. A list that is null restricts nothing.
alter table api_keys
  -- domain patterns in A-labels, lower case: acme.example, *.acme.example
  add column from_domains text[],
  -- address patterns, lower case: ada@acme.example, *@acme.example, *@*.acme.example
  add column recipients text[],
  -- IP addresses and networks in CIDR notation
  add column addresses text[],
  add column expires_at timestamptz,
  -- within a minute
  add column last_used_at timestamptz,
  -- the user who made it in the dashboard. No reference: a key outlives its maker.
  add column created_by uuid;
