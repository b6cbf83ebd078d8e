-- The order in which programs fetch the messages of a route. Ids are not in the order of commits: a program that has fetched an id would
-- miss a message with a lower id that is committed later. The row of the route is locked until the commit, so that one transaction at a time
-- adds messages to a route, and its positions are in the order of commits. A position is never used again, even if its message is deleted.
alter table routes add column last_position bigint not null default 0;
alter table route_messages add column position bigint not null default 0;
create function place_route_message() returns trigger language plpgsql as $$
begin
  update routes set last_position = last_position + 1 where project_id = new.project_id and id = new.route_id
  returning last_position into new.position;
  -- The route was deleted: the message is deleted with the others of the route.
  if not found then
    return null;
  end if;
  return new;
end $$;
create trigger route_messages_in_order before insert on route_messages
  for each row execute function place_route_message();
create unique index route_messages_position on route_messages (project_id, route_id, position);
