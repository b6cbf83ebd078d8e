-- Whether the full access of a key includes the scopes of routes. Keys of earlier versions keep what they have.
alter table api_keys add column grants_routes boolean not null default false;
