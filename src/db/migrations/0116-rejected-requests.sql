-- The API log: requests with an API key that were rejected (src/accounts/api-log). At most 1,000 per key, for at most seven days.
create table rejected_requests (
  project_id uuid not null,
  id uuid not null,
  -- when the response was sent, like the time of the id
  created_at timestamptz not null,
  -- rows of a deleted project are removed in the background, so there is no foreign key
  key_id uuid not null,
  method text not null,
  -- with the names of parameters, such as /v1/emails/{id}
  route text not null,
  -- with their values, without the query
  path text not null,
  status smallint not null,
  -- the error code
  problem text not null,
  detail text not null,
  -- by field; null: none
  errors json,
  -- redacted and shortened; null: the request had none, or was rejected before it was read
  body json,
  -- whether the body has fields that are stored only as long as the project stores bodies of emails
  has_content boolean not null,
  -- how many rejected requests of the key before this one were not stored, because there were too many at once
  omitted int not null default 0,
  address text,
  user_agent text,
  request_id text not null,
  primary key (project_id, id)
);
create index rejected_requests_of_key on rejected_requests (project_id, key_id, id);
-- To find expired rows of all projects.
create index rejected_requests_id on rejected_requests (id);
