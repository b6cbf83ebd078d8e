-- The order in which programs fetch the messages of a route. Ids are not in the order of commits: a program that has fetched an id would
-- miss a message with a lower id that is committed later. The lock lets one transaction at a time add messages to a route, so that its
-- positions are in the order of commits.
create sequence route_message_positions;
alter table route_messages add column position bigint not null default 0;
create function place_route_message() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(new.route_id::text, 128));
  new.position := nextval('route_message_positions');
  return new;
end $$;
create trigger route_messages_in_order before insert on route_messages
  for each row execute function place_route_message();
create unique index route_messages_position on route_messages (project_id, route_id, position);
