-- What a deleted mailbox leaves goes in the background, whoever deletes the mailbox: a project that ends, an older version.
alter table removals drop constraint removals_kind_check;
alter table removals add constraint removals_kind_check check (kind in ('project', 'webhook', 'mailbox'));

create function remove_mail() returns trigger language plpgsql as $$
begin
  insert into removals (project_id, id, kind) select project_id, id, 'mailbox' from gone on conflict do nothing;
  return null;
end $$;
create trigger mailboxes_deleted after delete on mailboxes
  referencing old table as gone for each statement execute function remove_mail();
