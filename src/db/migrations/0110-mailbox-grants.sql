-- A mailbox that is shared has no login of its own: members read it with their own logins.
alter table mailboxes add column is_shared boolean not null default false;
-- Older code may still try to set a password. Not validated, because no earlier row is shared.
alter table mailboxes add constraint mailboxes_shared_has_no_password check (not is_shared or password_hash is null) not valid;
-- When the newest service mail was delivered to the mailbox. As long as its links may be valid, the mailbox cannot be shared.
alter table mailboxes add column service_mail_at timestamptz;
-- Until shortly after this, requests of a former member that were admitted before may still run.
alter table mailboxes add column unshared_at timestamptz;
-- The address of the member who sent the message for a shared mailbox, in the copy in Sent. A header field could be forged.
alter table message_contents add column sent_by text;

-- What the owner of one mailbox (the member) may do with another mailbox of the same project.
create table mailbox_grants (
  project_id uuid not null,
  -- the mailbox that is shared
  mailbox_id uuid not null,
  -- the mailbox whose owner gets access
  member_id uuid not null,
  access text not null check (access in ('read', 'write')),
  sending text not null check (sending in ('none', 'on-behalf', 'as')),
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, member_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade,
  foreign key (project_id, member_id) references mailboxes on delete cascade,
  check (member_id <> mailbox_id)
);
create index mailbox_grants_of_member on mailbox_grants (project_id, member_id);

-- Open sessions of a member that use a changed or revoked grant must end (src/mailboxes/sign-in/open-mailboxes.ts).
create function mailbox_grants_changed() returns trigger language plpgsql as $$
begin
  insert into credential_changes (mailbox_id) select distinct member_id from changed;
  perform pg_notify('posthorn_credentials', '') from changed limit 1;
  return null;
end $$;
create trigger mailbox_grants_revoked after delete on mailbox_grants
  referencing old table as changed for each statement execute function mailbox_grants_changed();
create trigger mailbox_grants_updated after update on mailbox_grants
  referencing old table as changed for each statement execute function mailbox_grants_changed();
