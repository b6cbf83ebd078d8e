-- Addresses that lead to mailboxes of their project.
create table aliases (
  project_id uuid not null references projects,
  id uuid not null,
  -- the project's own claim, or the hosted domain's row of the nil project
  domain_id uuid not null,
  -- A-labels, lower case
  domain text not null,
  -- as given
  local_part text not null,
  -- as that of a mailbox
  local_part_key text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create unique index aliases_address on aliases (domain_id, local_part_key);

create table alias_mailboxes (
  project_id uuid not null,
  alias_id uuid not null,
  mailbox_id uuid not null,
  primary key (project_id, alias_id, mailbox_id),
  foreign key (project_id, alias_id) references aliases on delete cascade,
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index alias_mailboxes_mailbox on alias_mailboxes (project_id, mailbox_id);

-- An alias goes with the last of its mailboxes, whoever deletes that: a version that knows no aliases too. Locks are taken in one order
-- (mailboxes, aliases, what is between them), and two who delete one mailbox each see each other.
create function aliases_of_mailbox() returns trigger language plpgsql as $$
begin
  perform from aliases a
    where a.project_id = old.project_id and a.id in (
      select t.alias_id from alias_mailboxes t where t.project_id = old.project_id and t.mailbox_id = old.id)
    order by a.id for update;
  return old;
end $$;
create trigger mailboxes_lock_aliases before delete on mailboxes
  for each row execute function aliases_of_mailbox();

create function aliases_lead_somewhere() returns trigger language plpgsql as $$
begin
  delete from aliases a where (a.project_id, a.id) in (select g.project_id, g.alias_id from gone g)
    and not exists (select from alias_mailboxes t where t.project_id = a.project_id and t.alias_id = a.id);
  return null;
end $$;
create trigger alias_mailboxes_gone after delete on alias_mailboxes
  referencing old table as gone for each statement execute function aliases_lead_somewhere();

-- A version that knows no aliases must not make a mailbox of the address of one. The others ask before (src/mailboxes/new-mailbox.ts).
create function address_is_no_alias() returns trigger language plpgsql as $$
begin
  if exists (select from aliases a where a.domain_id = new.domain_id and a.local_part_key = new.local_part_key) then
    raise unique_violation using message = 'the address is that of an alias';
  end if;
  return new;
end $$;
create trigger mailboxes_are_no_aliases before insert on mailboxes
  for each row execute function address_is_no_alias();
