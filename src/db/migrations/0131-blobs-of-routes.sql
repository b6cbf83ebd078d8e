-- The blob sweep of an earlier version does not know the messages of routes, and would delete their bytes while it runs beside this version.
create function blob_is_in_no_route() returns trigger language plpgsql as $$
begin
  if exists (select from route_messages r where r.project_id = old.project_id and r.digest = old.digest) then
    return null;
  end if;
  return old;
end $$;
create trigger blobs_of_routes_stay before delete on blobs
  for each row execute function blob_is_in_no_route();
