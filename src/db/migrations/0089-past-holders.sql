-- Which project held an address of the hosted domain last: the address never passes to another project unless an operator releases it. There is no
-- foreign key, because the row outlives its project.
create table past_holders (
  domain_id uuid not null,
  local_part_key text not null,
  project_id uuid not null,
  primary key (domain_id, local_part_key)
);

-- A trigger, so that no way to delete an address is left out: alone, with its mailbox, or with its project.
create function record_past_holder() returns trigger language plpgsql as $$
begin
  insert into past_holders (domain_id, local_part_key, project_id)
  select d.id, old.local_part_key, old.project_id from domains d
  where d.project_id = '00000000-0000-0000-0000-000000000000' and d.id = old.domain_id
  on conflict (domain_id, local_part_key) do update set project_id = excluded.project_id;
  return null;
end $$;

create trigger mailbox_past_holder after delete on mailboxes for each row execute function record_past_holder();
create trigger alias_past_holder after delete on aliases for each row execute function record_past_holder();
